/**
 * Numbers that depend on a seed and a name alone (sfc32): one stream per concern, so that a draw more in one of them
 * does not shift the others.
 */
export class Random {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed any text; the same one gives the same numbers on every machine. */
  constructor(seed: string) {
    this.#seed = seed;
    this.#a = hashOf(seed, 0x9e3779b9);
    this.#b = hashOf(seed, 0x85ebca6b);
    this.#c = hashOf(seed, 0xc2b2ae35);
    for (let round = 0; round < 12; round++) this.next();
  }

  /** A stream of its own, whatever was drawn from this one. */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** From 0, included, to 1, excluded. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** Uniform between two numbers. */
  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  /** Between two positive numbers, each order of magnitude as likely as the next: for durations. */
  spread(least: number, most: number): number {
    return least * (most / least) ** this.next();
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor((most - least + 1) * this.next());
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of them, each as likely. */
  pick<T>(all: readonly T[]): T {
    const picked = all[this.whole(0, all.length - 1)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }
}

// FNV-1a with a final avalanche.
function hashOf(text: string, start: number): number {
  let hash = start ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return hash ^ (hash >>> 15);
}
