import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import type { Backend } from '../spi/backend.js';
import type { Call } from '../spi/call.js';
import type { Wait } from '../wait.js';
import { waiting } from '../waiting.js';
import { outlived, requireKnownLayout } from './known-layout.js';

type Run<T> = (backend: Backend, call: Call) => Promise<T>;

/**
 * Does something with one register on behalf of a caller, within his limits.
 *
 * @param what names the register in messages, such as `config a`.
 */
export function onBehalf<T>(
  context: Context,
  options: WaitOptions,
  what: string,
  work: (caller: Caller) => Promise<T>,
): Promise<T> {
  let isWriting = (): boolean => false;
  const describe = (): string =>
    `${what}: not done in time; ${isWriting() ? 'a write was sent and may be applied' : 'nothing was written'}`;
  return waiting(context, options, describe, (wait) => {
    const caller = new Caller(context, wait);
    isWriting = () => caller.isWriting;
    return work(caller);
  });
}

/** The requests of one caller: none is sent once he has gone, nor in a namespace of a newer layout. */
export class Caller {
  readonly #context: Context;
  readonly wait: Wait;
  #write: Call | null = null;

  constructor(context: Context, wait: Wait) {
    this.#context = context;
    this.wait = wait;
  }

  /** True while a write of his was sent and not answered. */
  get isWriting(): boolean {
    return this.#write?.sent === true;
  }

  read<T>(run: Run<T>): Promise<T> {
    return this.wait.race(this.#context.requests.read((backend, call) => this.#run(run, backend, call)));
  }

  /** @param epoch only within this session: rejects `SESSION_LOST`, and has changed nothing, when it is over. */
  async write<T>(run: Run<T>, epoch?: number): Promise<T> {
    const writing = this.#context.requests.write((backend, call) => {
      this.#write = call;
      return this.#run(run, backend, call);
    }, epoch);
    try {
      return await this.wait.race(writing);
    } finally {
      this.#write = null;
    }
  }

  async #run<T>(run: Run<T>, backend: Backend, call: Call): Promise<T> {
    await requireKnownLayout(this.#context);
    this.wait.check();
    // Whoever asked was told meanwhile that nothing was written.
    if (call.over) throw new CoordinationError('UNAVAILABLE', 'its limit passed before anything was sent');
    try {
      return await run(backend, call);
    } catch (reason) {
      throw outlived(reason);
    }
  }
}
