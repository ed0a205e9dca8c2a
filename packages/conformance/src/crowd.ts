import type { Grant } from '@concordat/core';
import { isHeld } from './exclusion.js';

/**
 * Judges who was in at once, where several may be.
 *
 * A grant counts as held from when it was handed over until it says itself that it is over.
 */
export class Crowd {
  readonly #inside = new Map<Grant, string>();
  readonly #mayBe: (kinds: readonly string[]) => boolean;
  readonly violations: string[] = [];
  /** The most that were in at once. */
  most = 0;
  /** How many got in so far. */
  count = 0;

  /** @param mayBe whether holders of these kinds may be in together. */
  constructor(mayBe: (kinds: readonly string[]) => boolean) {
    this.#mayBe = mayBe;
  }

  /** To be called at once with every grant. */
  granted(grant: Grant, kind = 'holder'): void {
    for (const other of [...this.#inside.keys()]) if (!isHeld(other)) this.#inside.delete(other);
    this.#inside.set(grant, kind);
    const kinds = [...this.#inside.values()];
    if (!this.#mayBe(kinds)) this.violations.push(kinds.join(' beside '));
    this.most = Math.max(this.most, kinds.length);
    this.count++;
  }

  async release(grant: Grant): Promise<void> {
    const released = grant.release();
    this.#inside.delete(grant);
    await released;
  }
}
