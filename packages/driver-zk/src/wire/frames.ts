import { MalformedError } from './jute-reader.js';

// A part of its own costs some 200 bytes, so those of a peer that trickles are joined now and then.
const mostSmallParts = 1_024;
const smallPart = 4_096;

/**
 * Cuts a stream of bytes into frames, each behind its length in four bytes.
 *
 * Holds no more than has arrived of one frame: a claimed length allocates nothing, and one beyond `longest` is refused when it is read.
 */
export class Frames {
  /** Longest frame that is taken, in bytes; may be changed between frames. */
  longest: number;
  #parts: Buffer[] = [];
  #held = 0;
  /** Bytes of the frame that is being gathered, its length included; 0 while that is not known. */
  #needed = 0;

  constructor(longest: number) {
    this.longest = longest;
  }

  /**
   * The frames that are whole now, oldest first, as views of what was pushed.
   *
   * @throws {MalformedError} when the peer claims a length that no frame has.
   */
  *push(bytes: Buffer): Generator<Buffer> {
    this.#parts.push(bytes);
    this.#held += bytes.length;
    while (this.#held >= Math.max(4, this.#needed)) {
      // Joined once it is whole, so that a long frame in many parts is not copied for each.
      const joined =
        this.#parts.length === 1 && this.#parts[0] !== undefined ? this.#parts[0] : Buffer.concat(this.#parts);
      this.#needed = 4 + this.#lengthOf(joined);
      const whole = joined.length >= this.#needed;
      const rest = whole ? joined.subarray(this.#needed) : joined;
      this.#parts = rest.length === 0 ? [] : [rest];
      this.#held = rest.length;
      if (!whole) return;
      const frame = joined.subarray(4, this.#needed);
      this.#needed = 0;
      yield frame;
    }
    if (this.#parts.length > mostSmallParts && this.#held < this.#parts.length * smallPart)
      this.#parts = [Buffer.concat(this.#parts)];
  }

  #lengthOf(bytes: Buffer): number {
    const length = bytes.readInt32BE(0);
    if (length < 0 || length > this.longest) throw new MalformedError(`a frame of ${String(length)} bytes`);
    return length;
  }
}
