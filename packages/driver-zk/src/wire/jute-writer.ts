const blockBytes = 64 * 1024;

/**
 * Writes frames of ZooKeeper's wire format (jute): big-endian numbers, text and bytes behind their length, each frame behind its own.
 *
 * Frames gather until {@link JuteWriter.take}, so that what is asked in one turn leaves in one write.
 */
export class JuteWriter {
  #block = Buffer.alloc(0);
  /** Where what was not taken yet begins, and ends. */
  #from = 0;
  #at = 0;
  #frame = 0;

  /** Begins a frame. @param most bytes that it may need: {@link textBytes} and the like, summed up. */
  begin(most: number): void {
    if (this.#at + 4 + most > this.#block.length) this.#grow(4 + most);
    this.#frame = this.#at;
    this.#at += 4;
  }

  /** Ends the frame; answers how long its content is. */
  end(): number {
    const length = this.#at - this.#frame - 4;
    this.#block.writeInt32BE(length, this.#frame);
    return length;
  }

  /** Takes the frame back that was begun last. */
  drop(): void {
    this.#at = this.#frame;
  }

  /** Everything that was not taken yet; nobody writes to it any more. */
  take(): Buffer {
    const taken = this.#block.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return taken;
  }

  get waiting(): boolean {
    return this.#at > this.#from;
  }

  int(value: number): this {
    this.#at = this.#block.writeInt32BE(value, this.#at);
    return this;
  }

  long(value: bigint): this {
    this.#at = this.#block.writeBigInt64BE(value, this.#at);
    return this;
  }

  flag(value: boolean): this {
    this.#at = this.#block.writeUInt8(value ? 1 : 0, this.#at);
    return this;
  }

  text(value: string): this {
    const length = this.#block.write(value, this.#at + 4, 'utf8');
    this.#block.writeInt32BE(length, this.#at);
    this.#at += 4 + length;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#at = this.#block.writeInt32BE(value.length, this.#at);
    this.#block.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  texts(values: readonly string[]): this {
    this.int(values.length);
    for (const value of values) this.text(value);
    return this;
  }

  #grow(more: number): void {
    const kept = this.#block.subarray(this.#from, this.#at);
    const block = Buffer.allocUnsafe(Math.max(blockBytes, kept.length + more));
    block.set(kept, 0);
    this.#block = block;
    this.#from = 0;
    this.#at = kept.length;
  }
}

/** Bytes that a text takes at most. */
export function textBytes(text: string): number {
  return 4 + 3 * text.length;
}
