/** Pauses between tries, each longer than the one before: 50 ms, doubled up to 2 s. */
export class Backoff {
  #nextMs = 50;

  get nextMs(): number {
    const now = this.#nextMs;
    this.#nextMs = Math.min(now * 2, 2_000);
    return now;
  }
}
