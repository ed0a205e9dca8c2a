import { ByteQueue } from './byte-queue.js';

/** One HTTP/2 frame (RFC 9113, section 4.1), its padding and priority taken off. */
export interface Http2Frame {
  readonly type: number;
  readonly stream: number;
  readonly endStream: boolean;
  readonly endHeaders: boolean;
  readonly payload: Buffer;
}

export const frameTypes = { data: 0, headers: 1, reset: 3, continuation: 9 } as const;

const headerBytes = 9;
const flags = { endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** The frames of one direction of a connection. */
export class Http2Frames {
  readonly #queue = new ByteQueue();
  #preface: number;

  /** @param prefaceBytes what comes before the first frame: 24 from a client, nothing from a server. */
  constructor(prefaceBytes: number) {
    this.#preface = prefaceBytes;
  }

  *read(bytes: Buffer): Generator<Http2Frame> {
    this.#queue.push(bytes);
    if (this.#preface > 0) {
      if (this.#queue.take(this.#preface) === null) return;
      this.#preface = 0;
    }
    for (;;) {
      const length = this.#queue.peek(headerBytes)?.readUIntBE(0, 3);
      if (length === undefined) return;
      const frame = this.#queue.take(headerBytes + length);
      if (frame === null) return;
      yield parse(frame);
    }
  }
}

function parse(frame: Buffer): Http2Frame {
  const type = frame.readUInt8(3);
  const set = frame.readUInt8(4);
  let payload = frame.subarray(headerBytes);
  if (type === frameTypes.data || type === frameTypes.headers) {
    if (set & flags.padded) payload = payload.subarray(1, payload.length - payload.readUInt8(0));
    if (type === frameTypes.headers && set & flags.priority) payload = payload.subarray(5);
  }
  return {
    type,
    stream: frame.readUInt32BE(5) & 0x7fffffff,
    endStream: type <= frameTypes.headers && (set & flags.endStream) !== 0,
    endHeaders: (set & flags.endHeaders) !== 0,
    payload,
  };
}
