import type { Coordinator, Grant, RunOptions } from '@concordat/core';
import { type Outcome, outcome } from './eventually.js';
import type { Client } from './fixture.js';

/** A call of an idempotency gate whose work, once begun, goes on until it is told how to end. */
export class OpenWork {
  /** Resolves with the work's grant when it runs. */
  readonly begun: Promise<Grant>;
  readonly outcome: Promise<Outcome<unknown>>;
  finish: (value: unknown) => void = () => undefined;
  fail: (failure: unknown) => void = () => undefined;

  constructor(coordinator: Coordinator, key: string, options: RunOptions = {}) {
    const ended = new Promise<unknown>((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    let begin: (grant: Grant) => void = () => undefined;
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    const work = (grant: Grant): Promise<unknown> => {
      begin(grant);
      return ended;
    };
    this.outcome = outcome(coordinator.idempotency('gate').run(key, work, options));
  }

  /** One whose work runs already. */
  static async begin(coordinator: Coordinator, key: string, options: RunOptions = {}): Promise<OpenWork> {
    const open = new OpenWork(coordinator, key, options);
    await open.begun;
    return open;
  }
}

/** A call of the same gate for the key `a`. */
export function runA({ coordinator }: Client, work: () => unknown, options?: RunOptions): Promise<unknown> {
  return coordinator.idempotency('gate').run('a', work, options);
}
