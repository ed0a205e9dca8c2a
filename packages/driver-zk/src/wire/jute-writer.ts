const blockBytes = 64 * 1024;

/**
 * Writes frames of ZooKeeper's wire format (jute): big-endian numbers, text and bytes behind their length, each frame behind its own.
 *
 * Frames gather until {@link JuteWriter.take}, so that what is asked in one turn leaves in one write.
 */
export class JuteWriter {
  #block = Buffer.alloc(0);
  /** Blocks before it, as far as they were not taken. */
  #full: Buffer[] = [];
  /** Where what was not taken yet begins, and ends. */
  #from = 0;
  #at = 0;
  #frame = 0;

  /** Begins a frame. @param most bytes that it may need: {@link textBytes} and the like, summed up. */
  begin(most: number): void {
    if (this.#at + 4 + most > this.#block.length) this.#begin(4 + most);
    this.#frame = this.#at;
    this.#at += 4;
  }

  /** Ends the frame; answers how long its content is. */
  end(): number {
    const length = this.#at - this.#frame - 4;
    this.#block.writeInt32BE(length, this.#frame);
    return length;
  }

  /** Everything that was not taken yet, in order; nobody writes to it any more. */
  take(): readonly Buffer[] {
    const taken = [...this.#full, this.#block.subarray(this.#from, this.#at)];
    this.#full = [];
    this.#from = this.#at;
    return taken;
  }

  get waiting(): boolean {
    return this.#full.length > 0 || this.#at > this.#from;
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

  // What is in the old block stays there: copying it along would cost more with each frame of a burst.
  #begin(bytes: number): void {
    if (this.#at > this.#from) this.#full.push(this.#block.subarray(this.#from, this.#at));
    this.#block = Buffer.allocUnsafe(Math.max(blockBytes, bytes));
    this.#from = 0;
    this.#at = 0;
  }
}

/** Bytes that a text takes at most. */
export function textBytes(text: string): number {
  return 4 + 3 * text.length;
}
