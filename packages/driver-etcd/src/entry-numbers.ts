import { CoordinationError, type Entry } from '@concordat/core/spi';
import { hexLease } from './names.js';

interface Tenancy {
  readonly number: number;
  readonly created: bigint;
  /** Removals that were sent and are not answered. */
  underway: number;
  /** One was answered: the entry is gone. */
  answered: boolean;
  /** How many keys the answered ones found to remove. */
  removed: number;
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
    this.#tenancies.set(keyOf(entry), {
      number,
      created: entry.created,
      underway: 0,
      answered: false,
      removed: 0,
      doubtful: false,
    });
  }

  /** Whether this very entry has its name, so that whoever removes the name removes this entry. */
  has(entry: Entry): boolean {
    return this.#tenancies.get(keyOf(entry))?.created === entry.created;
  }

  /** Fails as `remove` does, which removes by name alone an entry that {@link has} its name, and resolves with how many there were. */
  async during(entry: Entry, remove: () => Promise<number>): Promise<void> {
    const key = keyOf(entry);
    const tenancy = this.#tenancies.get(key);
    if (tenancy === undefined) throw new CoordinationError('BACKEND', `etcd: ${entry.name} is nobody's name`);
    tenancy.underway += 1;
    try {
      const removed = await remove();
      tenancy.answered = true;
      tenancy.removed += removed;
    } catch (reason) {
      tenancy.doubtful = true;
      throw reason;
    } finally {
      tenancy.underway -= 1;
      if (tenancy.answered && tenancy.underway === 0) this.#ended(key, tenancy);
    }
  }

  // Where somebody else removed it, nobody knows what else is about to be done to that name.
  #ended(key: string, { number, removed, doubtful }: Tenancy): void {
    this.#tenancies.delete(key);
    if (removed > 0 && !doubtful) this.#free.push(number);
  }
}

function keyOf({ dir, name }: Entry): string {
  return `${dir}/${name}`;
}
