import type { Key } from '@concordat/core/spi';
import { joinPath } from './store/paths.js';

/** Where the keys of one namespace lie in the store. */
export class Keys {
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Directory of the entries that the sessions own for themselves. */
  get sessions(): string {
    return this.of('session');
  }

  of(key: Key): string {
    return joinPath(this.#namespace, key);
  }

  /** What keeps a lost request of `attempt` from being applied late. */
  voiding(attempt: string): string {
    return this.of(`void/${attempt}`);
  }
}
