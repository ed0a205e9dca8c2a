import { fencing } from 'concordat';
import type { Journal } from '../journal.js';

/** One write to what tokens guard. */
export interface GuardedWrite {
  readonly resource: string;
  readonly grant: string;
  readonly token: string;
}

/** What tokens guard: it takes a write unless a greater token was there before, and writes down what it did. */
export class GuardedResource {
  readonly #gate = new fencing.TokenGate();
  readonly #journal: Journal;
  readonly #writers = new Map<string, string>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Who wrote to it last; so long as nobody is broken, who holds it. */
  lastWriter(resource: string): string | undefined {
    return this.#writers.get(resource);
  }

  write({ resource, grant, token }: GuardedWrite, by: string): boolean {
    const isAccepted = this.#gate.accept(resource, BigInt(token));
    if (isAccepted) this.#writers.set(resource, by);
    this.#journal.write({ kind: 'written', resource, grant, token, isAccepted }, by);
    return isAccepted;
  }
}
