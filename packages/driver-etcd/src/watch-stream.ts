import type { Clock } from '@concordat/core/spi';
import { Backoff } from './backoff.js';
import type { TrafficCount } from './requests.js';
import type { Duplex, Event, FilterType, Transport, WatchReply, WatchRequest } from './transport.js';

/** What to watch: one key, or a range of them. */
export interface WatchTarget {
  readonly key: Buffer;
  readonly range_end?: Buffer;
  readonly filters?: FilterType[];
  /** Belongs to the session, and is counted with its heartbeats. */
  readonly ofSession?: true;
}

/** Who is told of changes. None of these may throw. */
export interface WatchListener {
  /** It watches from "now" on, when the store stood at `revision`: what was changed before has to be read. */
  opened(revision: bigint): void;
  /** Whole revisions, in order, none twice. */
  changed(events: readonly Event[]): void;
  /** The history that was missed is compacted: everything has to be read again. `opened` follows. */
  restarted(): void;
  /** The store refused; it is tried again until cancelled. A read tells whether that makes sense. */
  refused(): void;
}

interface Watch {
  id: number;
  readonly target: WatchTarget;
  readonly listener: WatchListener;
  /** The first revision that was not seen yet; `null` to start from "now". */
  next: bigint | null;
  /** Pieces of a reply that was split for its size. */
  pieces: Event[];
  cancelled: boolean;
  readonly retries: Backoff;
}

/**
 * Every watch of one backend, on one stream that is opened again when it ends.
 *
 * A watch resumes after the last *event* it was given, never after a reply's header: catch-up replies carry the store's current
 * revision, and taking that for progress loses events (2,501 of 3,501 in npm `etcd3`).
 */
export class WatchStream {
  readonly #transport: Pick<Transport, 'watch'>;
  readonly #clock: Clock;
  readonly #watches = new Map<number, Watch>();
  readonly #backoff: Backoff;
  readonly #traffic: TrafficCount;
  // The server answers creations in their order.
  #creating: Watch[] = [];
  #stream: Duplex<WatchRequest> | null = null;
  #waiting = false;
  #lastId = 0;
  #closed = false;

  constructor(transport: Pick<Transport, 'watch'>, clock: Clock, traffic: TrafficCount) {
    this.#transport = transport;
    this.#clock = clock;
    this.#backoff = new Backoff(clock, 10, 2_000);
    this.#traffic = traffic;
  }

  /**
   * @param from the first revision to be told of, or `null` for whatever comes after "now".
   * @returns what ends the watch; idempotent.
   */
  watch(target: WatchTarget, from: bigint | null, listener: WatchListener): () => void {
    const retries = new Backoff(this.#clock);
    const watch: Watch = { id: 0, target, listener, next: from, pieces: [], cancelled: false, retries };
    this.#enrol(watch);
    return () => this.#cancel(watch);
  }

  /** The store answers again: what was to be tried after a pause is tried now. */
  retry(): void {
    this.#backoff.reset();
    this.#backoff.hurry();
  }

  close(): void {
    this.#closed = true;
    this.#backoff.stop();
    this.#watches.clear();
    this.#stream?.close();
    this.#stream = null;
  }

  #enrol(watch: Watch): void {
    this.#lastId += 1;
    watch.id = this.#lastId;
    watch.pieces = [];
    this.#watches.set(watch.id, watch);
    if (this.#stream !== null) this.#create(this.#stream, watch);
    else this.#connect();
  }

  #cancel(watch: Watch): void {
    watch.cancelled = true;
    watch.retries.stop();
    if (!this.#watches.delete(watch.id) || this.#stream === null) return;
    this.#countRequest(watch);
    this.#stream.write({ cancel_request: { watch_id: watch.id } });
  }

  #connect(): void {
    if (this.#closed || this.#waiting || this.#stream !== null || this.#watches.size === 0) return;
    const stream: Duplex<WatchRequest> = this.#transport.watch({
      message: (reply) => {
        if (stream === this.#stream) this.#receive(reply);
      },
      ended: () => {
        if (stream === this.#stream) this.#reopen();
      },
    });
    this.#stream = stream;
    this.#creating = [];
    for (const watch of this.#watches.values()) this.#create(stream, watch);
  }

  #reopen(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#waiting = true;
    void this.#backoff.wait().then(() => {
      this.#waiting = false;
      this.#connect();
    });
  }

  #create(stream: Duplex<WatchRequest>, watch: Watch): void {
    const { key, range_end, filters } = watch.target;
    watch.pieces = [];
    this.#creating.push(watch);
    this.#countRequest(watch);
    stream.write({
      create_request: {
        key,
        ...(range_end === undefined ? {} : { range_end }),
        ...(filters === undefined ? {} : { filters }),
        start_revision: String(watch.next ?? 0n),
        watch_id: watch.id,
        fragment: true,
      },
    });
  }

  #receive(reply: WatchReply): void {
    const watch = reply.created ? this.#creating.shift() : this.#watches.get(Number(reply.watch_id));
    if (watch === undefined || !this.#watches.has(watch.id)) {
      // Sent before the server read that the watch was cancelled: received all the same.
      if (reply.events.length > 0 && !reply.fragment) this.#traffic.notifications += 1;
      return;
    }
    if (reply.canceled) this.#ended(watch, reply);
    else if (reply.created) this.#opened(watch, BigInt(reply.header.revision));
    else if (reply.events.length > 0) this.#changed(watch, reply);
  }

  #opened(watch: Watch, revision: bigint): void {
    this.#backoff.reset();
    if (watch.next !== null) return;
    watch.next = revision + 1n;
    watch.listener.opened(revision);
  }

  #changed(watch: Watch, reply: WatchReply): void {
    for (const event of reply.events) watch.pieces.push(event);
    if (reply.fragment) return;
    const pieces = watch.pieces;
    watch.pieces = [];
    if (watch.target.ofSession !== true) this.#traffic.notifications += 1;
    const first = watch.next ?? 0n;
    // Some servers repeat or go back after a member loaded a snapshot (etcd's issues 15274, 15515, 20221).
    const events = pieces.filter((event) => BigInt(event.kv.mod_revision) >= first);
    const last = events.at(-1);
    if (last === undefined) return;
    watch.next = BigInt(last.kv.mod_revision) + 1n;
    watch.listener.changed(events);
  }

  // Compaction is the one cancellation with a revision; 3.4 to 3.7 give no reason with it.
  #ended(watch: Watch, reply: WatchReply): void {
    this.#watches.delete(watch.id);
    if (reply.compact_revision !== '0') {
      watch.next = null;
      this.#enrol(watch);
      watch.listener.restarted();
      return;
    }
    // After a refusal some servers read nothing more from the stream (etcd's issue 11708), so everybody else moves to a new one.
    this.#reopen();
    void watch.retries.wait().then(() => {
      if (!watch.cancelled && !this.#closed) this.#enrol(watch);
    });
    watch.listener.refused();
  }

  #countRequest({ target }: Watch): void {
    if (target.ofSession === true) this.#traffic.heartbeats += 1;
    else this.#traffic.requests += 1;
  }
}
