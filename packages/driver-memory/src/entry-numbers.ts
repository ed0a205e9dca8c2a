/**
 * The numbers that tell the entries of one session apart.
 *
 * One is given again once its entry was removed by its owner's own hand, as in the store where names are dearest (decision 14): so whatever takes
 * a name for an entry is found out here as well, and by the simulation.
 */
export class EntryNumbers {
  readonly #free: number[] = [];
  readonly #taken = new Map<string, number>();
  #used = 0;

  constructor(readonly session: string) {}

  /** One that no entry of this session has. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#used += 1;
    return this.#used;
  }

  /** The entry under `key` stands; one that never came to stand keeps its number for good. */
  stands(key: string, number: number): void {
    this.#taken.set(key, number);
  }

  /** Its owner removed the entry under `key`, and knows that it did. */
  removed(key: string): void {
    const number = this.#taken.get(key);
    if (this.#taken.delete(key) && number !== undefined) this.#free.push(number);
  }
}
