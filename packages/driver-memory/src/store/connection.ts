import type { Deliver } from './deliver.js';
import { Pipe } from './pipe.js';
import type { Envelope, Message } from './protocol.js';

/** What a connection tells its client, never within a call of the client. */
export interface ClientEnd {
  /** The connection stands: requests may be sent. */
  opened(): void;
  /** The store says something. */
  received(message: Message): void;
  /** Refused, cut, or closed by the store; nothing follows. */
  closed(): void;
}

/** What a connection tells its store. */
export interface StoreEnd {
  received(envelope: Envelope, connection: Connection): void;
  closed(connection: Connection): void;
}

/** How a link treats what passes; it may change its mind at any time. */
export interface Passage {
  /** Counts a request, and says whether it goes on, is kept for later, or is swallowed. */
  request(envelope: Envelope | null): 'pass' | 'hold' | 'swallow';
  /** Counts a message of the store, and says whether it goes on. */
  message(message: Message): 'pass' | 'swallow';
}

/** One connection between a client and a store: two pipes, and what its link does to them. */
export class Connection {
  readonly #passage: Passage;
  readonly #client: ClientEnd;
  readonly #store: StoreEnd;
  readonly #deliver: Deliver;
  // `null` says that the client has hung up.
  readonly #up: Pipe<Envelope | null>;
  readonly #down: Pipe<Message>;
  #held: (Envelope | null)[] = [];
  #clientThere = true;
  #storeThere = true;
  #lossy = false;
  #finished: (() => void)[] = [];

  constructor(options: { passage: Passage; client: ClientEnd; store: StoreEnd; deliver: Deliver }) {
    this.#passage = options.passage;
    this.#client = options.client;
    this.#store = options.store;
    this.#deliver = options.deliver;
    this.#up = new Pipe(
      (callback) => this.#deliver(callback, 'store'),
      (envelope) => {
        if (envelope === null) this.#leaveStore();
        else this.#store.received(envelope, this);
      },
    );
    this.#down = new Pipe(
      (callback) => this.#deliver(callback, 'client'),
      (message) => this.#client.received(message),
    );
  }

  /** True once it swallowed something: it cannot be continued. */
  get lossy(): boolean {
    return this.#lossy;
  }

  /** True once the store's side is closed. */
  get finished(): boolean {
    return !this.#storeThere;
  }

  /** The link has let it in. */
  open(): void {
    if (this.#clientThere) this.#client.opened();
  }

  // The client's side -------------------------------------------------------------------------------------------------

  /** Hands a request to the store, as the link lets it pass. */
  send(envelope: Envelope): void {
    if (this.#clientThere) this.#pass(envelope);
  }

  /** The client closes: it hears nothing any more, and what it sent is still on its way. */
  hangUp(): void {
    if (!this.#clientThere) return;
    this.#clientThere = false;
    this.#down.close();
    this.#pass(null);
  }

  // The store's side --------------------------------------------------------------------------------------------------

  /** Hands a message of the store to the client, as the link lets it pass. */
  tell(message: Message): void {
    if (!this.#clientThere) return;
    if (this.#passage.message(message) === 'pass') this.#down.push(message);
    else this.#lossy = true;
  }

  // The link's side ---------------------------------------------------------------------------------------------------

  /** Cuts it: what is on its way is gone, and both ends learn of it. */
  close(): void {
    this.closeClient();
    this.#up.close();
    this.#held = [];
    this.#leaveStore();
  }

  /** Cuts the client's side only; what was held stays held. */
  closeClient(): void {
    if (!this.#clientThere) return;
    this.#clientThere = false;
    this.#down.close();
    this.#deliver(() => this.#client.closed(), 'client');
    this.#held.push(null);
  }

  /** Lets go what was held, in order. */
  release(): void {
    for (const envelope of this.#held.splice(0)) this.#up.push(envelope);
  }

  /** Calls back when the store's side is closed. */
  whenFinished(callback: () => void): void {
    if (this.#storeThere) this.#finished.push(callback);
    else callback();
  }

  // -------------------------------------------------------------------------------------------------------------------

  #pass(envelope: Envelope | null): void {
    const verdict = this.#passage.request(envelope);
    if (verdict === 'pass') this.#up.push(envelope);
    else if (verdict === 'hold') this.#held.push(envelope);
    else this.#lossy = true;
  }

  #leaveStore(): void {
    if (!this.#storeThere) return;
    this.#storeThere = false;
    this.#store.closed(this);
    for (const callback of this.#finished.splice(0)) callback();
  }
}
