import { CoordinationError, type Register } from '@concordat/core/spi';
import { Backoff } from './backoff.js';
import { isRefusal } from './errors.js';
import { withoutValue } from './key-facts.js';
import { sameRegister, toRegister } from './registers.js';
import type { Requests } from './requests.js';
import type { Event, KeyValue, RangeReply } from './transport.js';
import type { WatchStream, WatchTarget } from './watch-stream.js';

/** What to follow. */
export interface LiveOptions {
  readonly target: WatchTarget;
  /** The name of a key, or `null` for one to be left out. */
  readonly nameOf: (key: Buffer) => string | null;
  /** Without data only creations and deletions matter, and the registers are empty. */
  readonly data: boolean;
  /** What is known already, and at which revision; without it everything is read first. */
  readonly known?: { readonly state: ReadonlyMap<string, Register>; readonly revision: bigint };
}

export interface LiveListener {
  /** The state is another one now; a register that was not changed is the same object as before. */
  changed(state: ReadonlyMap<string, Register>): void;
  /** The store refused to show it; nothing follows. */
  failed(error: CoordinationError): void;
}

/**
 * The state of a key or a range, kept up to date: one read, and one watch that was opened in the same flush.
 *
 * The watch starts at "now", since one from the read's revision on falls into a server tick of 100 ms whenever somebody writes. Events up to the
 * read's revision are dropped; when the watch was opened later than that, it reads again.
 */
export class LiveRange {
  readonly #requests: Requests;
  readonly #stream: WatchStream;
  readonly #options: LiveOptions;
  readonly #listener: LiveListener;
  readonly #backoff: Backoff;
  #state: Map<string, Register>;
  /** The revision that the state stands at, or `null` while a read is under way. */
  #readAt: bigint | null = null;
  #openedAt: bigint | null = null;
  #early: Event[] = [];
  #reading = 0;
  #unwatch: () => void = () => undefined;
  #stopped = false;

  constructor(requests: Requests, stream: WatchStream, options: LiveOptions, listener: LiveListener) {
    this.#requests = requests;
    this.#stream = stream;
    this.#options = options;
    this.#listener = listener;
    this.#backoff = new Backoff(requests.clock);
    this.#state = new Map(options.known?.state);
    this.#readAt = options.known?.revision ?? null;
  }

  start(): void {
    this.#watch();
    if (this.#readAt === null) void this.#read();
  }

  /** Forgets what was seen and looks anew: the store may be another one. */
  restart(): void {
    if (this.#stopped) return;
    this.#unwatch();
    this.#watch();
    void this.#read();
  }

  stop(): void {
    this.#stopped = true;
    this.#unwatch();
    this.#backoff.stop();
  }

  #watch(): void {
    this.#openedAt = null;
    this.#unwatch = this.#stream.watch(this.#options.target, null, {
      opened: (revision) => this.#opened(revision),
      changed: (events) => this.#changed(events),
      restarted: () => {
        this.#openedAt = null;
        void this.#read();
      },
      refused: () => void this.#read(),
    });
  }

  #opened(revision: bigint): void {
    this.#openedAt = revision;
    if (this.#readAt !== null && this.#readAt < revision) void this.#read();
  }

  #changed(events: readonly Event[]): void {
    // One at a time: a single deletion may be of more keys than a call takes arguments.
    if (this.#readAt === null) for (const event of events) this.#early.push(event);
    else if (this.#apply(events, this.#readAt)) this.#listener.changed(this.#state);
  }

  async #read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    this.#readAt = null;
    this.#early = [];
    const { session } = this.#requests;
    const request = { ...this.#range, ...(this.#options.data ? {} : withoutValue) };
    while (this.#isCurrent(reading)) {
      try {
        const reply = await this.#requests.watched.run(async () => {
          await session.connected();
          return this.#isCurrent(reading) ? this.#requests.range(request, this.#requests.ownCall()) : null;
        });
        if (reply === null || (this.#isCurrent(reading) && this.#take(reply))) return;
      } catch (error) {
        if (this.#isOver(error, reading)) return;
        await this.#backoff.wait();
      }
    }
  }

  get #range(): { key: Buffer; range_end?: Buffer } {
    const { key, range_end } = this.#options.target;
    return range_end === undefined ? { key } : { key, range_end };
  }

  #isCurrent(reading: number): boolean {
    return !this.#stopped && reading === this.#reading;
  }

  #isOver(error: unknown, reading: number): boolean {
    if (!this.#isCurrent(reading)) return true;
    if (!CoordinationError.is(error)) return false;
    if (isRefusal(error)) {
      this.stop();
      this.#listener.failed(error);
    }
    return isRefusal(error) || error.code === 'CLOSED';
  }

  /** False when the watch was opened after what this reply shows. */
  #take(reply: RangeReply): boolean {
    const revision = BigInt(reply.header.revision);
    if (this.#openedAt !== null && revision < this.#openedAt) return false;
    this.#backoff.reset();
    this.#readAt = revision;
    const state = new Map<string, Register>();
    for (const pair of reply.kvs) this.#put(state, pair);
    this.#state = state;
    this.#apply(this.#early, revision);
    this.#early = [];
    this.#listener.changed(this.#state);
    return true;
  }

  #apply(events: readonly Event[], after: bigint): boolean {
    let changed = false;
    for (const { type, kv } of events) {
      const revision = BigInt(kv.mod_revision);
      if (revision <= after) continue;
      this.#requests.sawRevision(revision);
      changed = (type === 'Delete' ? this.#delete(kv) : this.#put(this.#state, kv)) || changed;
    }
    return changed;
  }

  #delete(pair: KeyValue): boolean {
    const name = this.#options.nameOf(pair.key);
    return name !== null && this.#state.delete(name);
  }

  #put(state: Map<string, Register>, pair: KeyValue): boolean {
    const name = this.#options.nameOf(pair.key);
    if (name === null) return false;
    const before = this.#state.get(name);
    const now = this.#options.data ? toRegister(pair) : withoutData(pair);
    const same = before !== undefined && sameRegister(before, now);
    state.set(name, same ? before : now);
    return !same;
  }
}

const empty = new Uint8Array(0);

// An update is no change of such a register: its version stays that of its creation.
function withoutData(pair: KeyValue): Register {
  return { ...toRegister(pair), value: empty, version: BigInt(pair.create_revision) };
}
