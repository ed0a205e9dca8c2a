import type { Entry } from '@concordat/core/spi';
import { hexLease } from './names.js';

interface Tenancy {
  readonly number: number;
  readonly created: bigint;
  /** Removals that were sent and are not answered. */
  underway: number;
  /** How many keys those that were answered found to remove; `null` before the first. */
  removed: number | null;
  /** A removal may still be applied, now or later. */
  doubtful: boolean;
}

/**
 * The numbers that tell the entries of one lease apart.
 *
 * A deleted key stays in etcd's index until the next compaction, and every look at a line walks over all of them (86 ns each, measured on
 * 3.4.23; without automatic compaction, which is etcd's default, for ever). So a number is given again, but not before its entry is
 * certainly gone by its owner's own hand, and every request about it was answered: whatever arrives late finds a name that nobody else has.
 */
export class EntryNumbers {
  readonly hex: string;
  readonly #free: number[] = [];
  readonly #tenancies = new Map<string, Tenancy>();
  #used = 0;

  constructor(readonly lease: string) {
    this.hex = hexLease(lease);
  }

  /** One that no entry of this lease has, nor any request underway. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#used += 1;
    return this.#used;
  }

  /** Tells whose it is now; one whose entry never came to stand is not given again. */
  stands(entry: Entry, number: number): void {
    const { created } = entry;
    this.#tenancies.set(keyOf(entry), { number, created, underway: 0, removed: null, doubtful: false });
  }

  /**
   * Removes an entry by name alone, while the name is certainly that very entry's; `null` when it is not, or may be another's by now.
   *
   * @param remove resolves with how many keys there were.
   */
  removing(entry: Entry, remove: () => Promise<number>): Promise<void> | null {
    const tenancy = this.#tenancies.get(keyOf(entry));
    return tenancy?.created === entry.created ? this.#during(keyOf(entry), tenancy, remove) : null;
  }

  async #during(key: string, tenancy: Tenancy, remove: () => Promise<number>): Promise<void> {
    tenancy.underway += 1;
    try {
      const removed = await remove();
      tenancy.removed = (tenancy.removed ?? 0) + removed;
    } catch (reason) {
      tenancy.doubtful = true;
      throw reason;
    } finally {
      tenancy.underway -= 1;
      if (tenancy.removed !== null && tenancy.underway === 0) this.#ended(key, tenancy);
    }
  }

  // Where somebody else removed it, nobody knows what else is about to be done to that name.
  #ended(key: string, { number, removed, doubtful }: Tenancy): void {
    this.#tenancies.delete(key);
    if (removed !== null && removed > 0 && !doubtful) this.#free.push(number);
  }
}

function keyOf({ dir, name }: Entry): string {
  return `${dir}/${name}`;
}
