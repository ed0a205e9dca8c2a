/** Bytes that arrive in pieces, taken off in the sizes a protocol asks for. */
export class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0);

  push(piece: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece]);
  }

  /** The next `count` bytes, left in place; `null` when they are not there yet. */
  peek(count: number): Buffer | null {
    return this.#bytes.length < count ? null : this.#bytes.subarray(0, count);
  }

  take(count: number): Buffer | null {
    const taken = this.peek(count);
    if (taken !== null) this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}
