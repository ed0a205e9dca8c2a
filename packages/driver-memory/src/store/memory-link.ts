import { type ClientEnd, Connection, type Passage, type StoreEnd } from './connection.js';
import type { Deliver } from './deliver.js';
import { isAboutSession, isWrite } from './protocol.js';

/** What a link needs of its store. */
export interface Gate extends StoreEnd {
  /** False while the store is down. */
  admit(connection: Connection): boolean;
}

/** What went over a link; what only keeps a session alive, opens or ends it is left out. */
export interface LinkCounts {
  /** Requests of the client, swallowed ones too. */
  readonly requests: number;
  /** Requests that change something. */
  readonly writes: number;
  /** Messages of the store that tell of a change. */
  readonly notifications: number;
}

/** The way of one client to its store, which can be broken without harm to others. */
export class MemoryLink {
  readonly #gate: Gate;
  readonly #deliver: Deliver;
  readonly #connections = new Set<Connection>();
  readonly #passage: Passage;
  #refusing = false;
  #requests: 'pass' | 'hold' | 'swallow' = 'pass';
  #messages: 'pass' | 'swallow' = 'pass';
  #counts = { requests: 0, writes: 0, notifications: 0 };

  /** @param address what to give as `storeName` to lead a coordinator over this link. */
  constructor(
    readonly address: string,
    gate: Gate,
    deliver: Deliver,
  ) {
    this.#gate = gate;
    this.#deliver = deliver;
    this.#passage = {
      request: (envelope) => {
        if (envelope !== null && !isAboutSession(envelope.operation)) {
          this.#counts.requests++;
          if (isWrite(envelope.operation)) this.#counts.writes++;
        }
        return this.#requests;
      },
      message: (message) => {
        if (message.type === 'changed') this.#counts.notifications++;
        return this.#messages;
      },
    };
  }

  /** Counted from its first connection on. */
  get wire(): LinkCounts {
    return { ...this.#counts };
  }

  /** Runs `callback` later, as a message of this link would arrive. */
  get deliver(): Deliver {
    return this.#deliver;
  }

  /** Opens a connection; `client` is told later whether it stands. */
  connect(client: ClientEnd): Connection {
    const connection = new Connection({ passage: this.#passage, client, store: this.#gate, deliver: this.#deliver });
    this.#connections.add(connection);
    connection.whenFinished(() => this.#connections.delete(connection));
    this.#deliver(() => {
      if (connection.finished) return;
      if (this.#refusing || !this.#gate.admit(connection)) connection.close();
      else connection.open();
    }, 'client');
    return connection;
  }

  /** Closes every connection and refuses new ones. */
  cut(): void {
    this.#refusing = true;
    this.flap();
  }

  /** Closes every connection once; new ones are welcome. */
  flap(): void {
    for (const connection of [...this.#connections]) connection.close();
  }

  /** Swallows everything in both directions; connections seem to stand, and new ones are accepted. */
  blackhole(): void {
    this.#requests = 'swallow';
    this.#messages = 'swallow';
  }

  /** Requests reach the store, what it answers is swallowed. */
  swallowReplies(): void {
    this.#messages = 'swallow';
  }

  /** Keeps what the client sends from now on. */
  holdRequests(): void {
    this.#requests = 'hold';
  }

  /**
   * Cuts the client's side of every connection and heals the link for new ones; what was held goes on to the store when the
   * returned function is called, however late. Resolves when the store has got it.
   */
  parkHeld(): () => Promise<void> {
    const parked = [...this.#connections];
    for (const connection of parked) {
      this.#connections.delete(connection);
      connection.closeClient();
    }
    this.heal();
    return async () => {
      const delivered = parked.map((connection) => new Promise<void>((resolve) => connection.whenFinished(resolve)));
      for (const connection of parked) connection.release();
      await Promise.all(delivered);
    };
  }

  /** Cuts the client's side, then delivers what was held; the link is healed for new connections. */
  deliverHeld(): Promise<void> {
    return this.parkHeld()();
  }

  /** Ends every fault: what was held goes on, and connections that swallowed something are closed. */
  heal(): void {
    this.#refusing = false;
    this.#requests = 'pass';
    this.#messages = 'pass';
    for (const connection of [...this.#connections]) {
      if (connection.lossy) connection.close();
      else connection.release();
    }
  }
}
