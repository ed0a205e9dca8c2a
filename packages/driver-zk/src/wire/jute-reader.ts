/** A peer's bytes are not what ZooKeeper would send; nothing that follows can be trusted. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

const shortestText = 4;

/** Reads one frame. Every length is checked against what is there, before anything is allocated for it. */
export class JuteReader {
  readonly #frame: Buffer;
  #at = 0;

  constructor(frame: Buffer) {
    this.#frame = frame;
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.#frame.length - this.#at;
  }

  int(): number {
    return this.#frame.readInt32BE(this.#take(4));
  }

  long(): bigint {
    return this.#frame.readBigInt64BE(this.#take(8));
  }

  /** A number of 64 bits that is only compared with itself, as it reads in hexadecimal. */
  hex(): string {
    const at = this.#take(8);
    const [high, low] = [this.#frame.readUInt32BE(at), this.#frame.readUInt32BE(at + 4).toString(16)];
    return high === 0 ? low : high.toString(16) + low.padStart(8, '0');
  }

  flag(): boolean {
    return this.#frame.readUInt8(this.#take(1)) !== 0;
  }

  text(): string {
    const length = this.#length(1);
    const at = this.#take(length);
    return this.#frame.toString('utf8', at, at + length);
  }

  /** A copy: a view would keep whatever else came with it. */
  bytes(): Uint8Array {
    const length = this.#length(1);
    const at = this.#take(length);
    return new Uint8Array(this.#frame.subarray(at, at + length));
  }

  texts(): string[] {
    const count = this.#length(shortestText);
    const texts: string[] = [];
    for (let index = 0; index < count; index += 1) texts.push(this.text());
    return texts;
  }

  skip(bytes: number): this {
    this.#take(bytes);
    return this;
  }

  // -1 stands for null, which is as good as nothing.
  #length(each: number): number {
    const length = this.int();
    if (length < -1 || length > this.left / each) throw new MalformedError('a length beyond its frame');
    return Math.max(0, length);
  }

  #take(bytes: number): number {
    if (bytes > this.left) throw new MalformedError('a frame that ends too early');
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}
