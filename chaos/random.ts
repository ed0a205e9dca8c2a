/** Random numbers that a seed decides, of one stream: drawing from one leaves the others as they were. */
export class Random {
  #state: number;

  constructor(seed: number, stream: string) {
    // FNV-1a over the name, so that streams of one seed differ.
    let hash = 0x811c9dc5 ^ seed;
    for (const unit of stream) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** From 0 up to, and without, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From `least` up to `most`. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** True in that share of the draws. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of them. */
  pick<T>(things: readonly T[]): T {
    const picked = things[Math.floor(this.next() * things.length)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }
}
