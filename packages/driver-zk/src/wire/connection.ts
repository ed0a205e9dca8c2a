import type {
  Answer,
  CloseReason,
  Connection,
  Created,
  Identity,
  Listing,
  Node,
  NodeEvent,
  NodeMode,
  NodeStat,
  Resumption,
} from '../connection.js';
import type { TrafficCount } from '../traffic.js';
import type { Channel } from './channel.js';
import type { Welcome } from './handshake.js';
import {
  bare,
  create,
  exists,
  getChildren,
  getData,
  type Operation,
  remove,
  removeWatches,
  setData,
} from './operations.js';
import { noNode, operation, reservedXid } from './protocol.js';
import type { Permission } from './records.js';
import { Watched, type WatchedKind } from './watched.js';

const heartbeatData = Buffer.from('1');

/** What a connection is made of. */
export interface WireConnectionOptions {
  readonly channel: Channel;
  readonly welcome: Welcome;
  /** What the connection before left, of the same session. */
  readonly resumption: Resumption | null;
  readonly acl: readonly Permission[];
  readonly traffic: TrafficCount;
}

/** One connection that speaks ZooKeeper's protocol itself. */
export class WireConnection implements Connection {
  readonly identity: Identity;
  readonly timeoutMs: number;
  readonly carriesWatches: boolean;
  readonly closed: Promise<CloseReason>;
  readonly #channel: Channel;
  readonly #acl: readonly Permission[];
  readonly #traffic: TrafficCount;
  readonly #keepAlive: NodeJS.Timeout;
  #watched: Watched | null;
  /** Where the watches of the connection before have to be taken up again, until the server did. */
  #restoredFrom: bigint | null = null;
  #early: NodeEvent[] = [];
  #listener: (event: NodeEvent) => void = (event) => void this.#early.push(event);
  #reason: CloseReason = 'lost';

  constructor({ channel, welcome, resumption, acl, traffic }: WireConnectionOptions) {
    this.#channel = channel;
    this.#acl = acl;
    this.#traffic = traffic;
    this.identity = welcome.identity;
    this.timeoutMs = welcome.timeoutMs;
    const before = resumption?.watched ?? null;
    this.carriesWatches = before !== null;
    this.#watched = before ?? new Watched();
    if (resumption !== null && before !== null) void this.#restore(before, resumption.seen);
    this.#keepAlive = this.#ping();
    this.closed = channel.ended.then(() => {
      clearInterval(this.#keepAlive);
      return this.#reason;
    });
  }

  get usable(): boolean {
    return this.#channel.open;
  }

  get answered(): number {
    return this.#channel.answered;
  }

  get resumption(): Resumption {
    return { identity: this.identity, seen: this.#restoredFrom ?? this.#channel.seen, watched: this.#watched };
  }

  create(path: string, data: Uint8Array, mode: NodeMode): Promise<Answer<Created>> {
    return this.#ask(create(path, data, mode, this.#acl));
  }

  get(path: string, watch: boolean): Promise<Answer<Node>> {
    return this.#ask(this.#watching(getData(path, watch), watch, path, 'data'));
  }

  exists(path: string, watch: boolean): Promise<Answer<NodeStat>> {
    return this.#ask(this.#watching(exists(path, watch), watch, path, 'data', 'exist'));
  }

  children(path: string, watch: boolean): Promise<Answer<Listing>> {
    return this.#ask(this.#watching(getChildren(path, watch), watch, path, 'child'));
  }

  set(path: string, data: Uint8Array, version: number | 'any'): Promise<Answer<NodeStat>> {
    return this.#ask(setData(path, data, version));
  }

  beat(path: string): Promise<Answer<NodeStat>> {
    return this.#ask(setData(path, heartbeatData, 'any'), 'heartbeats', true);
  }

  delete(path: string, version: number | 'any'): Promise<Answer<null>> {
    return this.#ask(remove(path, version));
  }

  unwatch(path: string): boolean {
    if (this.#watched?.remove(path) === true) void this.#channel.ask(removeWatches(path));
    return true;
  }

  onEvent(listener: (event: NodeEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#early.splice(0)) listener(event);
  }

  /** Of the channel: takes what the server tells. */
  told(event: NodeEvent): void {
    this.#traffic.notifications += 1;
    this.#watched?.fired(event);
    this.#listener(event);
  }

  sever(): void {
    this.#over('closed');
  }

  async end(): Promise<boolean> {
    const answer = await this.#channel.ask(bare(operation.closeSession));
    this.#over('closed');
    return answer.ok;
  }

  async #ask<Value>(
    asked: Operation<Value>,
    counted: 'requests' | 'heartbeats' = 'requests',
    urgent = false,
  ): Promise<Answer<Value>> {
    if (this.#channel.open) this.#traffic[counted] += 1;
    const answer = await this.#channel.ask(asked, { urgent });
    if (!answer.ok && answer.code === 'auth-failed') this.#over('unauthenticated');
    return answer;
  }

  // Noted as the reply is read: an event right behind it is of this watch.
  #watching<Value>(
    asked: Operation<Value>,
    watch: boolean,
    path: string,
    there: WatchedKind,
    missing: WatchedKind | null = null,
  ): Operation<Value> {
    if (!watch) return asked;
    const noted = (error: number): void => {
      const kind = error === 0 ? there : error === noNode ? missing : null;
      if (kind !== null) this.#watched?.add(kind, path);
    };
    return { ...asked, noted };
  }

  // Until all of it is answered the next connection has to begin where this one did.
  async #restore(watched: Watched, seen: bigint): Promise<void> {
    this.#restoredFrom = seen;
    const asked = watched
      .restoring(seen)
      .map((chunk) => this.#channel.ask(chunk, { urgent: true, fixedXid: reservedXid.setWatches }));
    const answers = await Promise.all(asked);
    if (answers.every(({ ok }) => ok)) this.#restoredFrom = null;
    if (answers.every((answer) => answer.ok || answer.code === 'lost' || answer.code === 'unsent')) return;
    // Refused, so that everything has to be read again, on the next one.
    this.#watched = null;
    this.#over('lost');
  }

  // Nothing needs it beside heartbeats; alone, a connection would end its session.
  #ping(): NodeJS.Timeout {
    let answered = -1;
    const timer = setInterval(() => {
      if (answered === this.#channel.answered) this.#channel.ping();
      answered = this.#channel.answered;
    }, this.timeoutMs / 3);
    return timer.unref();
  }

  #over(reason: CloseReason): void {
    if (!this.#channel.open) return;
    this.#reason = reason;
    this.#channel.destroy();
  }
}
