// Shifting an array costs as much as it is long; one that is read through is cut now and then.
const longestPrefix = 1_024;

/** First in, first out, at the same cost whatever its length. */
export class Fifo<Item> {
  #items: Item[] = [];
  #from = 0;

  get size(): number {
    return this.#items.length - this.#from;
  }

  get first(): Item | undefined {
    return this.#items[this.#from];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.#from += 1;
    if (this.#from === this.#items.length || this.#from >= longestPrefix) {
      this.#items.splice(0, this.#from);
      this.#from = 0;
    }
    return first;
  }

  /** Takes everything out. */
  drain(): readonly Item[] {
    const items = this.#items.slice(this.#from);
    this.#items = [];
    this.#from = 0;
    return items;
  }
}
