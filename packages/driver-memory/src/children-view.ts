import type { Child } from '@concordat/core/spi';
import { kindOf } from './names.js';
import { toRegister } from './registers.js';
import { nameOf } from './store/paths.js';
import type { Stored } from './store/protocol.js';

/** The children of a directory in line order, told only when they differ from what was told last. */
export class ChildrenView {
  readonly #data: boolean;
  readonly #next: (children: readonly Child[]) => void;
  // In order of creation: who is new comes last, who is overwritten keeps its place.
  readonly #children = new Map<string, Stored>();
  #told: readonly Stored[] | null = null;

  /** @param data whether to show the registers, and so to tell of updates too. */
  constructor(data: boolean, next: (children: readonly Child[]) => void) {
    this.#data = data;
    this.#next = next;
  }

  /** The directory as the store shows it now. */
  reset(present: readonly Stored[]): void {
    this.#children.clear();
    for (const stored of present) this.#children.set(stored.key, stored);
  }

  change(key: string, stored: Stored | null): void {
    if (stored === null) this.#children.delete(key);
    else this.#children.set(key, stored);
  }

  tell(): void {
    const present = [...this.#children.values()];
    const told = this.#told;
    if (told?.length === present.length && present.every((stored, index) => this.#same(stored, told[index]))) return;
    this.#told = present;
    this.#next(present.map((stored) => this.#toChild(stored)));
  }

  #same(stored: Stored, told: Stored | undefined): boolean {
    // What the store keeps is never changed in place: another object is another state.
    if (this.#data) return stored === told;
    return stored.key === told?.key && stored.created === told.created;
  }

  #toChild(stored: Stored): Child {
    const name = nameOf(stored.key);
    return { name, kind: kindOf(name), created: stored.created, register: this.#data ? toRegister(stored) : null };
  }
}
