/**
 * What happened, as a running hash and, where asked for, as lines. Two runs of one seed are the same exactly when
 * their hashes are.
 */
export class Trace {
  readonly #lines: string[] | null;
  readonly #number = new Float64Array(1);
  readonly #words = new Uint32Array(this.#number.buffer);
  #low = 0x811c9dc5;
  #high = 0x9747b28c;
  #events = 0;

  /** @param keep whether to keep the lines, for whoever reads them. */
  constructor(keep: boolean) {
    this.#lines = keep ? [] : null;
  }

  /** How many events there were. */
  get events(): number {
    return this.#events;
  }

  get hash(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }

  get lines(): readonly string[] {
    return this.#lines ?? [];
  }

  /** One turn of somebody, at `at` milliseconds. */
  turn(at: number, who: string, what: string): void {
    this.#events++;
    this.#mixNumber(at);
    this.#mix(who);
    this.#mix(what);
    this.#lines?.push(`${time(at)} ${who.padEnd(6)} ${what}`);
  }

  /** What somebody saw or did within a turn. */
  note(at: number, who: string, what: string): void {
    this.#mix(who);
    this.#mix(what);
    this.#lines?.push(`${time(at)} ${who.padEnd(6)}   · ${what}`);
  }

  #mixNumber(value: number): void {
    this.#number[0] = value;
    this.#low = Math.imul(this.#low ^ (this.#words[0] ?? 0), 0x01000193);
    this.#high = Math.imul(this.#high ^ (this.#words[1] ?? 0), 0x85ebca6b) ^ this.#low;
  }

  #mix(text: string): void {
    let low = this.#low;
    for (let index = 0; index < text.length; index++) low = Math.imul(low ^ text.charCodeAt(index), 0x01000193);
    this.#low = low;
    this.#high = Math.imul(this.#high ^ low ^ (low >>> 15), 0x85ebca6b);
  }
}

function time(at: number): string {
  return at.toFixed(3).padStart(11);
}
