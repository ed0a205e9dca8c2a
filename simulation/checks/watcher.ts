import type { Observable } from 'rxjs';
import type { Client } from '../world/client.js';
import { describe } from '../world/world.js';

/** What has to hold of what a stream shows. */
export interface Shown<T> {
  /** Whether it may come right after what was shown before. */
  readonly follows?: (before: T, now: T) => boolean;
  /** Whether it is possible at all, after everything that was shown. */
  readonly isWhole?: (now: T) => boolean;
  /** Whether it is how things stand when nothing happens any more. */
  readonly isLast: (now: T) => boolean;
}

/** Somebody who watches a stream from the start of a client to its end. */
export class Watcher<T> {
  readonly #client: Client;
  readonly #what: string;
  readonly #rules: Shown<T>;
  #shown: { readonly value: T } | null = null;
  #completed = false;

  constructor(client: Client, what: string, stream$: Observable<T>, rules: Shown<T>) {
    this.#client = client;
    this.#what = what;
    this.#rules = rules;
    stream$.subscribe({
      next: (value) => this.#show(value),
      error: (error: unknown) => client.report('unexpected-error', `${what}: ${describe(error)}`),
      complete: () => {
        this.#completed = true;
        if (!client.closing) client.report('completed-too-early', what);
      },
    });
  }

  /** Nothing happens any more, and everybody is connected. */
  settled(): void {
    const { dead, closing } = { dead: this.#client.process.dead, closing: this.#client.closing };
    if (dead || closing || this.#completed) return;
    const shown = this.#shown;
    if (shown === null || !this.#rules.isLast(shown.value))
      this.#client.report('not-converged', `${this.#what} shows ${shown === null ? 'nothing' : 'an old state'}`);
  }

  #show(value: T): void {
    const { follows, isWhole } = this.#rules;
    const before = this.#shown;
    this.#shown = { value };
    this.#client.world.findings.count('shown');
    const fits = before === null || follows === undefined || follows(before.value, value);
    if (!fits || isWhole?.(value) === false) this.#client.report('went-back', this.#what);
  }
}
