import { ByteQueue } from './byte-queue.js';
import { isSessionKey, tolerant, type WireMeter, type WireTally } from './wire.js';

const longestFrame = 64 * 1024 * 1024;
/** In place of a request's number: nobody asked for this. */
export const notificationXid = -1;
// ping, close session, removeWatches, auth, setWatches, sasl and setWatches2: they keep up the connection.
const upkeep = new Set([11, -11, 18, 100, 101, 102, 105]);
// create, delete, setData, multi, create2, createContainer, createTTL.
const writing = new Set([1, 2, 5, 14, 15, 19, 21]);

/** Frames of four bytes of length and as many bytes of content. */
export class ZooKeeperFrames {
  readonly #queue = new ByteQueue();

  *read(bytes: Buffer): Generator<Buffer> {
    this.#queue.push(bytes);
    for (;;) {
      const length = this.#queue.peek(4)?.readInt32BE(0);
      if (length === undefined) return;
      if (length < 0 || length > longestFrame) throw new Error('not a ZooKeeper frame');
      const frame = this.#queue.take(4 + length);
      if (frame === null) return;
      yield frame.subarray(4);
    }
  }
}

/** Counts ZooKeeper's requests (xid, operation, most often a path) and notifications (xid -1). */
export class ZooKeeperMeter implements WireMeter {
  readonly #tally: WireTally;
  readonly #requests = new ZooKeeperFrames();
  readonly #replies = new ZooKeeperFrames();
  #opening = true;
  #opened = false;

  constructor(tally: WireTally) {
    this.#tally = tally;
  }

  fromClient(bytes: Buffer): void {
    for (const frame of this.#requests.read(bytes)) {
      if (this.#opening) this.#opening = false;
      else this.#request(frame.readInt32BE(4), frame);
    }
  }

  fromServer(bytes: Buffer): void {
    for (const frame of this.#replies.read(bytes)) {
      if (!this.#opened) this.#opened = true;
      else if (frame.readInt32BE(0) === notificationXid) this.#notification(frame.subarray(16));
    }
  }

  #request(operation: number, frame: Buffer): void {
    if (upkeep.has(operation) || isSessionKey(pathAt(frame, 8))) return;
    this.#tally.requests += 1;
    if (writing.has(operation)) this.#tally.writes += 1;
  }

  // Type and state come first; type -1 tells of the connection and not of a node.
  #notification(event: Buffer): void {
    if (event.readInt32BE(0) === -1 || isSessionKey(pathAt(event, 8))) return;
    this.#tally.notifications += 1;
  }
}

function pathAt(frame: Buffer, offset: number): string {
  if (frame.length < offset + 4) return '';
  const length = frame.readInt32BE(offset);
  return length <= 0 ? '' : frame.toString('utf8', offset + 4, offset + 4 + length);
}

export const zooKeeperMeter = (tally: WireTally): WireMeter => tolerant(new ZooKeeperMeter(tally));
