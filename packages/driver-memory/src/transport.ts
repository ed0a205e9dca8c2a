import type { Traffic } from '@concordat/core/spi';
import { DisconnectedError, RefusedError } from './errors.js';
import type { Connection } from './store/connection.js';
import type { MemoryLink } from './store/memory-link.js';
import {
  type AnswerOf,
  type Changed,
  type Ended,
  isAboutSession,
  type Message,
  type Operation,
  type Refused,
  type Reply,
  type RequestOf,
} from './store/protocol.js';

/** What a transport tells its owner. */
export interface TransportEvents {
  opened(): void;
  /** Refused or lost; no request is outstanding any more. */
  closed(): void;
  changed(message: Changed): void;
  ended(message: Ended): void;
}

/** An answer, and how far the store's order had come when it was given. */
export interface Answered<Op extends Operation> {
  readonly answer: AnswerOf<Op>;
  readonly revision: bigint;
}

/** How a request ends: in the very call in which its reply arrived, so that nothing overtakes it. */
export interface Ending<Op extends Operation> {
  answered(reply: Answered<Op>): void;
  failed(error: RefusedError | DisconnectedError): void;
}

interface Pending {
  settle(message: Reply | Refused): void;
  fail(error: DisconnectedError): void;
}

/** One connection at a time to the store, the requests on it, and what went over it. */
export class Transport {
  readonly #link: MemoryLink;
  readonly #pending = new Map<number, Pending>();
  #connection: Connection | null = null;
  #up = false;
  #lastId = 0;
  #traffic = { requests: 0, heartbeats: 0, notifications: 0 };

  constructor(link: MemoryLink) {
    this.#link = link;
  }

  /** True while requests may be sent. */
  get up(): boolean {
    return this.#up;
  }

  get traffic(): Traffic {
    return { ...this.#traffic };
  }

  /** Runs `callback` in a later turn, by the scheduler that delivers the messages. */
  later(callback: () => void): void {
    this.#link.deliver(callback, 'self');
  }

  /** Opens a new connection; `events` are told later whether it stands. */
  connect(events: TransportEvents): void {
    const connection = this.#link.connect({
      opened: () => {
        if (this.#connection !== connection) return;
        this.#up = true;
        events.opened();
      },
      received: (message) => {
        if (this.#connection === connection) this.#received(message, events);
      },
      closed: () => {
        if (this.#connection !== connection) return;
        const unanswered = this.#forget();
        events.closed();
        unanswered();
      },
    });
    this.#connection = connection;
  }

  /** Hangs up; every outstanding request fails. */
  disconnect(): void {
    this.#connection?.hangUp();
    this.#forget()();
  }

  /** Sends a request on the connection that stands. */
  send<Op extends Operation>(operation: Op, request: RequestOf<Op>, ending: Ending<Op>): void {
    if (this.#connection === null || !this.#up) {
      ending.failed(new DisconnectedError());
      return;
    }
    const id = ++this.#lastId;
    if (isAboutSession(operation)) this.#traffic.heartbeats++;
    else this.#traffic.requests++;
    this.#pending.set(id, {
      settle: (message) => {
        const { revision } = message;
        if (message.type === 'refused') ending.failed(new RefusedError(message.refusal));
        else ending.answered({ answer: message.answer, revision });
      },
      fail: (error) => ending.failed(error),
    });
    this.#connection.send({ id, operation, request });
  }

  #received(message: Message, events: TransportEvents): void {
    if (message.type === 'changed') {
      this.#traffic.notifications++;
      events.changed(message);
    } else if (message.type === 'ended') events.ended(message);
    else {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      pending?.settle(message);
    }
  }

  // Returns what fails the outstanding requests, for after the session was told.
  #forget(): () => void {
    this.#connection = null;
    this.#up = false;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    return () => {
      for (const request of pending) request.fail(new DisconnectedError());
    };
  }
}
