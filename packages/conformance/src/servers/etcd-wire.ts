import { changedKeys, etcdRequest, GrpcMessages, watchedKey } from './etcd-messages.js';
import { HeaderDecoder } from './hpack.js';
import { frameTypes, type Http2Frame, Http2Frames } from './http2-frames.js';
import { isSessionKey, tolerant, type WireMeter, type WireTally } from './wire.js';

const prefaceBytes = 24;
const watchPath = '/etcdserverpb.Watch/Watch';
const keyValuePath = /^\/etcdserverpb\.KV\/(Range|Put|DeleteRange|Txn)$/;
// Leases keep the session alive, and a login opens a connection.
const upkeep = /^\/etcdserverpb\.(Lease\/|Auth\/Authenticate$)/;

interface Stream {
  readonly path: string;
  readonly requests: GrpcMessages;
  readonly replies: GrpcMessages;
}

/** Counts etcd's calls and watch events in the HTTP/2 frames that carry gRPC. */
class EtcdMeter implements WireMeter {
  readonly #tally: WireTally;
  readonly #requests = new Http2Frames(prefaceBytes);
  readonly #replies = new Http2Frames(0);
  readonly #headers = new HeaderDecoder();
  readonly #streams = new Map<number, Stream>();
  #block: Buffer[] = [];

  constructor(tally: WireTally) {
    this.#tally = tally;
  }

  fromClient(bytes: Buffer): void {
    for (const frame of this.#requests.read(bytes)) {
      if (frame.type === frameTypes.headers || frame.type === frameTypes.continuation) this.#header(frame);
      else if (frame.type === frameTypes.data) this.#request(frame);
      else if (frame.type === frameTypes.reset) this.#streams.delete(frame.stream);
    }
  }

  fromServer(bytes: Buffer): void {
    for (const frame of this.#replies.read(bytes)) {
      if (frame.type === frameTypes.data) this.#reply(frame);
      if (frame.endStream || frame.type === frameTypes.reset) this.#streams.delete(frame.stream);
    }
  }

  #header(frame: Http2Frame): void {
    this.#block.push(frame.payload);
    if (!frame.endHeaders) return;
    const fields = this.#headers.decode(Buffer.concat(this.#block));
    this.#block = [];
    const path = fields.find(([name]) => name === ':path')?.[1];
    if (path === undefined) return;
    this.#streams.set(frame.stream, { path, requests: new GrpcMessages(), replies: new GrpcMessages() });
  }

  #request(frame: Http2Frame): void {
    const stream = this.#streams.get(frame.stream);
    if (stream === undefined || upkeep.test(stream.path)) return;
    for (const message of stream.requests.read(frame.payload)) this.#count(stream.path, message);
  }

  #count(path: string, message: Buffer): void {
    if (path === watchPath) {
      const key = watchedKey(message);
      if (key !== undefined && !isSessionKey(key)) this.#tally.requests += 1;
      return;
    }
    const method = keyValuePath.exec(path)?.[1];
    const request = method === undefined ? null : etcdRequest(method, message);
    if (request?.keys.every(isSessionKey)) return;
    this.#tally.requests += 1;
    if (request?.writes) this.#tally.writes += 1;
  }

  #reply(frame: Http2Frame): void {
    const stream = this.#streams.get(frame.stream);
    if (stream?.path !== watchPath) return;
    for (const message of stream.replies.read(frame.payload)) {
      if (changedKeys(message).some((key) => !isSessionKey(key))) this.#tally.notifications += 1;
    }
  }
}

export const etcdMeter = (tally: WireTally): WireMeter => tolerant(new EtcdMeter(tally));
