/** Writes ZooKeeper's wire format: big-endian numbers, and texts and bytes behind their length. */
export class JuteWriter {
  readonly #parts: Buffer[] = [];

  int(value: number): this {
    const part = Buffer.alloc(4);
    part.writeInt32BE(value);
    return this.#add(part);
  }

  long(value: bigint): this {
    const part = Buffer.alloc(8);
    part.writeBigInt64BE(BigInt.asIntN(64, value));
    return this.#add(part);
  }

  bool(value: boolean): this {
    return this.#add(Buffer.of(value ? 1 : 0));
  }

  bytes(value: Uint8Array): this {
    return this.int(value.length).#add(Buffer.from(value));
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value));
  }

  /** The whole as a frame, its length in front. */
  frame(): Buffer {
    const content = Buffer.concat(this.#parts);
    const length = Buffer.alloc(4);
    length.writeInt32BE(content.length);
    return Buffer.concat([length, content]);
  }

  #add(part: Buffer): this {
    this.#parts.push(part);
    return this;
  }
}

/** Reads what {@link JuteWriter} writes. */
export class JuteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  long(): bigint {
    this.#at += 8;
    return this.#bytes.readBigInt64BE(this.#at - 8);
  }

  bytes(): Buffer {
    const length = Math.max(0, this.int());
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  texts(): string[] {
    return Array.from({ length: Math.max(0, this.int()) }, () => this.text());
  }
}
