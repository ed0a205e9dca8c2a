import type {
  Answer,
  CloseReason,
  Connection,
  Created,
  Failure,
  Identity,
  Listing,
  Node,
  NodeEvent,
  NodeMode,
  NodeStat,
  Resumption,
} from '../connection.js';
import type { TrafficCount } from '../traffic.js';
import { closeCode, failureCode, type NativeHandle, type NativeStat, nativeState, toStat } from './handle.js';
import type { Hop } from './hop.js';

const createFlags: Readonly<Record<NodeMode, number>> = {
  persistent: 0,
  ephemeral: 1,
  'ephemeral-sequential': 3,
  container: 4,
};
const events: ReadonlySet<string> = new Set<NodeEvent['type']>(['created', 'deleted', 'changed', 'child']);
// The server's jute.maxbuffer is 1,048,575 bytes for a whole request; some are left for its header, names and ACL.
const largestRequest = 1_048_000;
const heartbeatData = Buffer.from('1');
const anyVersion = -1;

type Counted = 'requests' | 'heartbeats';

/** What a connection is made of. */
export interface NativeConnectionOptions {
  readonly handle: NativeHandle;
  /** Address of a server that does not exist, of the same family as the one that the handle is connected to. */
  readonly elsewhere: string;
  readonly hop: Hop;
  readonly traffic: TrafficCount;
  /** Last transaction that the connection before was told of. */
  readonly seen: bigint;
}

/**
 * A connected native handle.
 *
 * It is closed in the very moment its connection is found to be over, inside the native callback: left alone, the C client goes on to
 * close and reopen sockets whose numbers libuv still polls (node-zookeeper#262, #238).
 */
export class NativeConnection implements Connection {
  readonly identity: Identity;
  readonly timeoutMs: number;
  readonly carriesWatches = false;
  readonly closed: Promise<CloseReason>;
  readonly #handle: NativeHandle;
  readonly #hop: Hop;
  readonly #traffic: TrafficCount;
  readonly #elsewhere: string;
  readonly #pending = new Set<() => void>();
  #tellClosed: (reason: CloseReason) => void = () => undefined;
  #listener: (event: NodeEvent) => void = () => undefined;
  #seen: bigint;
  #open = true;
  #answered = 0;

  constructor({ handle, elsewhere, hop, traffic, seen }: NativeConnectionOptions) {
    this.#seen = seen;
    this.#handle = handle;
    this.#elsewhere = elsewhere;
    this.#hop = hop;
    this.#traffic = traffic;
    this.identity = { id: handle.client_id, password: handle.client_password };
    this.timeoutMs = handle.timeout;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
    handle.emit = (event, _native, argument) => this.#onNative(event, argument);
  }

  get usable(): boolean {
    return this.#open && this.#handle.state === nativeState.connected;
  }

  get answered(): number {
    return this.#answered;
  }

  get resumption(): Resumption {
    return { identity: this.identity, seen: this.#seen, watched: null };
  }

  create(path: string, data: Uint8Array, mode: NodeMode): Promise<Answer<Created>> {
    return this.#ask(path.length + data.length, (done) =>
      this.#handle.a_create(path, toBuffer(data), createFlags[mode], (code, message, created) =>
        done(code, message, () => ({ path: created, stat: null })),
      ),
    );
  }

  get(path: string, watch: boolean): Promise<Answer<Node>> {
    return this.#ask(path.length, (done) =>
      this.#handle.a_get(path, watch, (code, message, stat, data) =>
        done(code, message, () => ({ stat: this.#see(stat), data: toBytes(data) })),
      ),
    );
  }

  exists(path: string, watch: boolean): Promise<Answer<NodeStat>> {
    return this.#ask(path.length, (done) =>
      this.#handle.a_exists(path, watch, (code, message, stat) => done(code, message, () => this.#see(stat))),
    );
  }

  children(path: string, watch: boolean): Promise<Answer<Listing>> {
    return this.#ask(path.length, (done) =>
      this.#handle.a_get_children2(path, watch, (code, message, names, stat) =>
        done(code, message, () => {
          this.#see(stat);
          return { names: names ?? [], changed: BigInt(stat.pzxid) };
        }),
      ),
    );
  }

  set(path: string, data: Uint8Array, version: number | 'any'): Promise<Answer<NodeStat>> {
    return this.#set(path, data, toNativeVersion(version), 'requests');
  }

  beat(path: string): Promise<Answer<NodeStat>> {
    return this.#set(path, heartbeatData, anyVersion, 'heartbeats');
  }

  delete(path: string, version: number | 'any'): Promise<Answer<null>> {
    const expected = toNativeVersion(version);
    return this.#ask(path.length, (done) =>
      this.#handle.a_delete_(path, expected, (code, message) => done(code, message, () => null)),
    );
  }

  unwatch(): boolean {
    return false;
  }

  onEvent(listener: (event: NodeEvent) => void): void {
    this.#listener = listener;
  }

  sever(): void {
    this.#over('closed', () => this.#cut());
  }

  // The native client can end it only while it blocks the whole process until the server answers, up to 1.5 s.
  async end(): Promise<boolean> {
    // Answered after everything that was asked before: then nothing is outstanding.
    await this.exists('/', false);
    this.sever();
    return false;
  }

  #set(path: string, data: Uint8Array, version: number, counted: Counted): Promise<Answer<NodeStat>> {
    return this.#ask(
      path.length + data.length,
      (done) =>
        this.#handle.a_set(path, toBuffer(data), version, (code, message, stat) =>
          done(code, message, () => this.#see(stat)),
        ),
      counted,
    );
  }

  #ask<Value>(
    size: number,
    send: (done: (code: number, message: string, read: () => Value) => void) => number,
    counted: Counted = 'requests',
  ): Promise<Answer<Value>> {
    if (size > largestRequest) return Promise.resolve(failure('over-limit', 'the request is larger than 1 MiB'));
    if (!this.usable) {
      this.#bury();
      return Promise.resolve(failure('unsent', 'there is no connection'));
    }
    this.#traffic[counted] += 1;
    return new Promise((resolve) => {
      const settle = (answer: Answer<Value>): void => {
        if (this.#pending.delete(abandon)) this.#hop.push(() => resolve(answer));
      };
      const abandon = (): void => settle(failure('lost', 'the connection ended before the reply'));
      this.#pending.add(abandon);
      const code = send((code, message, read) => {
        this.#answered += 1;
        settle(code === 0 ? { ok: true, value: read() } : failure(failureCode(code), message));
      });
      if (code !== 0)
        settle(failure(code === -8 ? 'bad-arguments' : 'unsent', `refused by the client: ${String(code)}`));
      if (!this.usable) this.#bury();
    });
  }

  // The C client keeps to itself which transaction a reply was sent after; what a node shows is one of those before.
  #see(native: NativeStat): NodeStat {
    const stat = toStat(native);
    for (const order of [stat.created, stat.modified, BigInt(native.pzxid)]) if (order > this.#seen) this.#seen = order;
    return stat;
  }

  // A request on a dead socket, or a stalled process, makes the C client close its socket and tell nobody. The longer its handle stays,
  // the likelier somebody else gets the socket's number, which libuv forgets when the handle is closed.
  #bury(): void {
    this.#over('lost', () => this.#handle.close());
  }

  #onNative(event: string, argument: unknown): void {
    if (events.has(event)) {
      if (!this.#open) return;
      this.#traffic.notifications += 1;
      const told = { type: event, path: String(argument) } as NodeEvent;
      this.#hop.push(() => this.#listener(told));
    } else if (event === 'connecting') {
      // No CLOSE is sent: the handle is not connected any more, so the session stays.
      this.#over('lost', () => undefined);
      this.#handle.close();
    } else if (event === 'close') {
      this.#over(argument === closeCode.authFailed ? 'unauthenticated' : 'lost', () => undefined);
    } else if (event === 'connect') {
      // A second `connect` means that there was a gap nobody told of; what was pending is in the dark.
      this.#over('lost', () => this.#hop.push(() => this.#cut()));
    }
  }

  #over(reason: CloseReason, close: () => void): void {
    if (!this.#open) return;
    this.#open = false;
    close();
    for (const abandon of [...this.#pending]) abandon();
    this.#hop.push(() => this.#tellClosed(reason));
  }

  /**
   * A handle that looks connected cannot be closed without ending its session and, on a silent link, without blocking
   * the process for 1.5 s. Sent to another server, the C client closes its socket at once; then closing it sends nothing.
   */
  #cut(): void {
    if (this.#handle.state === nativeState.connected) this.#handle.set_servers(this.#elsewhere);
    // Should it still look connected it is closed as soon as it says `connecting`, within 2/3 of the session timeout.
    if (this.#handle.state !== nativeState.connected) this.#handle.close();
  }
}

function failure(code: Failure['code'], message: string): Failure {
  return { ok: false, code, message };
}

// Undefined or NaN would become version 0, and -1 means any: only what is certainly a counter gets through.
function toNativeVersion(version: number | 'any'): number {
  if (version === 'any') return anyVersion;
  if (!Number.isInteger(version) || version === anyVersion) throw new RangeError('not a version counter');
  return version;
}

function toBuffer(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

// A plain view: a Buffer's own `slice` and JSON form would shine through.
function toBytes(data: Buffer | null): Uint8Array {
  return data === null ? new Uint8Array(0) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
