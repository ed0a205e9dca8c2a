import { CoordinationError, type OpenOptions, type Session } from '@concordat/core/spi';
import type { Answer, CloseReason, Connection, Created, Standing, Transport } from './connection.js';
import { Dialer } from './dialer.js';
import { readError } from './errors.js';
import { Heartbeat } from './heartbeat.js';
import type { Paths } from './keys.js';
import { Limit } from './limit.js';
import { Parents } from './parents.js';
import { Retreat } from './retreat.js';

const nodeData = new TextEncoder().encode('1');
const incurable: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'INVALID_ARGUMENT']);

/** A session as the server granted it. */
interface Opened {
  readonly connection: Connection;
  readonly epoch: number;
}

/** Opens sessions, keeps each alive over as many connections as it takes, and ends it on the server when it is over here. */
export class SessionKeeper {
  readonly heartbeat: Heartbeat;
  readonly parents = new Parents();
  readonly #options: OpenOptions;
  readonly #session: Session;
  readonly #paths: Paths;
  readonly #load: () => Promise<Transport>;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(connection: Connection) => void>();
  #dialer: Dialer | null = null;
  #connection: Connection | null = null;
  /** The last one of a session that may be there still. */
  #latest: Connection | null = null;
  #running: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(options: OpenOptions, paths: Paths, load: () => Promise<Transport>) {
    this.#options = options;
    this.#session = options.session;
    this.#paths = paths;
    this.#load = load;
    this.heartbeat = new Heartbeat(options.session, options.clock, (connection) => {
      void this.#enrol(connection);
    });
  }

  /** Begins to connect, in the background. */
  start(): void {
    this.#running = this.#run();
  }

  /**
   * The connection to ask now.
   *
   * @throws {CoordinationError} `UNAVAILABLE` when there is none, `SESSION_LOST` or `CLOSED` when `epoch` is over.
   */
  use(epoch?: number): Connection {
    if (epoch !== undefined) this.#session.check(epoch);
    if (this.#connection?.usable === true && this.#closing === null) return this.#connection;
    const cause = this.#session.trouble;
    throw new CoordinationError('UNAVAILABLE', 'there is no connection to ZooKeeper', cause === null ? {} : { cause });
  }

  /** Calls `listener` with each connection as soon as its first heartbeat is on its way. Returns what takes it back. */
  onAttached(listener: (connection: Connection) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The next usable connection within this epoch; rejects `SESSION_LOST` or `CLOSED` when that is over. */
  attached(epoch: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = this.#connection;
      if (connection?.usable === true && epoch === this.#session.epoch) return resolve(connection);
      const stopListening = this.onAttached((next) => {
        stopListening();
        takeBack();
        resolve(next);
      });
      const takeBack = this.#session.onLost(epoch, (reason) => {
        stopListening();
        reject(reason);
      });
    });
  }

  /** Ends the session on the server within `limitMs`, best effort. */
  close(limitMs: number): Promise<void> {
    this.#closing ??= this.#close(limitMs);
    return this.#closing;
  }

  async #close(limitMs: number): Promise<void> {
    this.#stop.abort();
    const { clock } = this.#options;
    const limit = new Limit(clock, limitMs);
    const connection = this.#connection;
    if (connection?.usable === true) {
      // Answered after everything that was asked before: then nothing is outstanding.
      const ending = connection.end().then((ended) => {
        if (ended) this.#latest = null;
      });
      await new Limit(clock, limitMs / 2).over(ending);
    }
    connection?.sever();
    if (this.#latest !== null) await this.#dialer?.end(this.#latest.resumption, limit.signal);
    await limit.over(this.#running);
  }

  async #run(): Promise<void> {
    try {
      this.#dialer = new Dialer(this.#options, await this.#load());
    } catch (error) {
      this.#session.refuse(error as CoordinationError);
      return;
    }
    for (;;) {
      const opened = await this.#open(this.#dialer);
      if (opened === null) return;
      await this.#keep(this.#dialer, opened);
      if (this.#isOver()) return;
      this.#latest = null;
      this.#session.reopen();
    }
  }

  /** A new session, or `null` once this is closed. */
  async #open(dialer: Dialer): Promise<Opened | null> {
    const retreat = new Retreat(this.#options.clock, this.#stop.signal);
    while (!this.#isOver()) {
      const dialled = await dialer.reach(null, this.#stop.signal, (error) => this.#tell(error));
      if (!dialled.ok) continue;
      const { connection, startedAt } = dialled;
      const epoch = await this.#admit(connection, startedAt);
      if (epoch !== null) return { connection, epoch };
      this.#detach();
      connection.sever();
      await this.#endOnServer(dialer, connection.resumption);
      await retreat.wait();
    }
    return null;
  }

  async #admit(connection: Connection, startedAt: number): Promise<number | null> {
    const { identity, timeoutMs } = connection;
    this.#latest = connection;
    const silence = this.#options.clock.setTimer(() => connection.sever(), timeoutMs / 3);
    const enrolled = await this.#enrol(connection);
    silence.cancel();
    if (!enrolled.ok) this.#tell(readError(enrolled, this.#paths.session(identity.id)));
    if (!enrolled.ok || this.#isOver()) return null;
    // Before anybody hears of it: whoever waited for the session asks at once.
    this.#attach(connection, this.#session.epoch);
    // Followers report their sessions to the leader every half tick, and a session is at least two ticks long.
    return this.#session.opened(identity.id, timeoutMs, startedAt, timeoutMs / 4);
  }

  /** Makes the ephemeral node that heartbeats are written to. */
  async #enrol(connection: Connection): Promise<Answer<Created>> {
    const path = this.#paths.session(connection.identity.id);
    const { created } = await this.parents.under(connection, path, 'persistent', async () => ({
      created: await connection.create(path, nodeData, 'ephemeral'),
    }));
    return created;
  }

  /** Keeps a session until it is over, here and, best effort, on the server. */
  async #keep(dialer: Dialer, { connection: first, epoch }: Opened): Promise<void> {
    const over = new AbortController();
    this.#session.onLost(
      epoch,
      () => {
        over.abort();
        // Whoever closes us still needs the connection to drain it.
        if (!this.#session.closed) this.#connection?.sever();
      },
      'driver',
    );
    const signal = AbortSignal.any([over.signal, this.#stop.signal]);
    let connection = first;
    for (;;) {
      this.#cut(epoch, await connection.closed);
      const dialled = await dialer.reach(connection.resumption, signal, (error) => this.#tell(error));
      if (!dialled.ok && dialled.failure === 'expired') {
        this.#session.lose(epoch, expired(dialled.detail));
        return;
      }
      if (!dialled.ok) break;
      connection = dialled.connection;
      // From now on the server counts by it (SessionTracker.touchSession), and the deadline does not.
      if (connection.timeoutMs !== first.timeoutMs) this.#session.lose(epoch, retimed(connection.timeoutMs));
      if (signal.aborted) connection.sever();
      else this.#attach(connection, epoch);
    }
    await this.#endOnServer(dialer, connection.resumption);
  }

  #attach(connection: Connection, epoch: number): void {
    this.#connection = connection;
    this.#latest = connection;
    this.heartbeat.start({ connection, path: this.#paths.session(connection.identity.id), epoch });
    for (const listener of [...this.#listeners]) listener(connection);
  }

  #detach(): void {
    this.heartbeat.stop();
    this.#connection = null;
  }

  #cut(epoch: number, reason: CloseReason): void {
    this.#detach();
    const code = reason === 'unauthenticated' ? 'UNAUTHENTICATED' : 'UNAVAILABLE';
    const error = new CoordinationError(code, 'the connection to ZooKeeper was lost');
    this.#tell(error);
    this.#session.cut(epoch, error);
  }

  /** Its successor then need not wait for the timeout. While this closes, {@link SessionKeeper.close} does it. */
  async #endOnServer(dialer: Dialer, standing: Standing): Promise<void> {
    const limit = new Limit(this.#options.clock, this.#options.requestTimeoutMs);
    await dialer.end(standing, AbortSignal.any([limit.signal, this.#stop.signal]));
    limit.cancel();
  }

  #tell(error: CoordinationError): void {
    if (incurable.has(error.code)) this.#session.refuse(error);
    else this.#session.unreachable(error);
  }

  #isOver(): boolean {
    return this.#stop.signal.aborted || this.#session.closed;
  }
}

function expired(detail: string): CoordinationError {
  const more = detail === '' ? '' : `; ${detail}`;
  return new CoordinationError('SESSION_LOST', `ZooKeeper ended the session: it expired${more}`);
}

function retimed(timeoutMs: number): CoordinationError {
  return new CoordinationError('SESSION_LOST', `a server changed the session timeout to ${String(timeoutMs)} ms`);
}
