import type { Socket } from 'node:net';
import type { Answer, NodeEvent } from '../connection.js';
import { Frames } from './frames.js';
import { type Greeting, greetingBytes, longestWelcome, readWelcome, type Welcome, writeGreeting } from './handshake.js';
import { JuteReader, MalformedError } from './jute-reader.js';
import { JuteWriter } from './jute-writer.js';
import type { Operation } from './operations.js';
import { Pipeline, type Sending } from './pipeline.js';
import { eventTypes, noEvent, operation, reservedXid } from './protocol.js';

const longestReply = 64 * 1024 * 1024;
const headerBytes = 8;

/** Why a channel is over, in the words of the socket where it has any. */
export interface Ending {
  /** `malformed`: the peer's bytes are not ZooKeeper's. */
  readonly reason: 'closed' | 'malformed';
  readonly error: NodeJS.ErrnoException | null;
}

/**
 * One socket that speaks ZooKeeper's protocol: a greeting, then requests and their replies, and watch events in between. Once it is over everything
 * that was sent is answered `lost`, and what waited `unsent`.
 */
export class Channel {
  /** Resolves when it is over, also when that happened before anybody asked. */
  readonly ended: Promise<Ending>;
  /** Last transaction that a reply told of. */
  seen: bigint;
  /** Replies so far, to pings not counted. */
  answered = 0;
  readonly #socket: Socket;
  readonly #out = new JuteWriter();
  readonly #frames = new Frames(longestWelcome);
  readonly #pipeline = new Pipeline(this.#out, () => this.#scheduleFlush());
  readonly #tellEvent: (event: NodeEvent) => void;
  #welcome: ((welcome: Welcome | null) => void) | null = null;
  #open = true;
  #flushing = false;
  #end: (ending: Ending) => void = () => undefined;

  /** @param socket connected; nobody else reads or writes it. */
  constructor(socket: Socket, seen: bigint, onEvent: (event: NodeEvent) => void) {
    this.#socket = socket;
    this.seen = seen;
    this.#tellEvent = onEvent;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    let error: NodeJS.ErrnoException | null = null;
    socket.on('data', (bytes) => this.#received(bytes));
    socket.on('error', (cause) => {
      error = cause;
    });
    socket.on('close', () => this.#close({ reason: 'closed', error }));
  }

  get open(): boolean {
    return this.#open;
  }

  /** The first exchange; `null` when the server closed the connection instead. */
  greet(greeting: Greeting): Promise<Welcome | null> {
    this.#out.begin(greetingBytes);
    writeGreeting(this.#out, greeting);
    this.#out.end();
    this.#scheduleFlush();
    return new Promise((resolve) => {
      this.#welcome = resolve;
      if (!this.#open) resolve(null);
    });
  }

  /** Never rejects. What is asked in one turn leaves in one write, in that order. */
  ask<Value>(asked: Operation<Value>, how: Sending = {}): Promise<Answer<Value>> {
    if (this.#open) return this.#pipeline.ask(asked, how);
    return Promise.resolve({ ok: false, code: 'unsent', message: 'there is no connection' });
  }

  /** Shows the server that this side is there. */
  ping(): void {
    this.#out.begin(headerBytes);
    this.#out.int(reservedXid.ping).int(operation.ping);
    this.#out.end();
    this.#scheduleFlush();
  }

  /** Ends it at once; the session stays on the server. */
  destroy(): void {
    this.#close({ reason: 'closed', error: null });
  }

  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      if (!this.#open || !this.#out.waiting) return;
      this.#socket.cork();
      for (const bytes of this.#out.take()) this.#socket.write(bytes);
      this.#socket.uncork();
    });
  }

  #received(bytes: Buffer): void {
    try {
      for (const frame of this.#frames.push(bytes)) {
        this.#take(new JuteReader(frame));
        if (!this.#open) return;
      }
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.#close({ reason: 'malformed', error });
    }
  }

  #take(frame: JuteReader): void {
    if (this.#welcome === null) {
      this.#takeReply(frame);
      return;
    }
    const welcome = readWelcome(frame);
    this.#frames.longest = longestReply;
    this.#welcome(welcome);
    this.#welcome = null;
  }

  #takeReply(frame: JuteReader): void {
    const xid = frame.int();
    const zxid = frame.long();
    const error = frame.int();
    if (xid === reservedXid.notification) {
      this.#takeEvent(frame);
      return;
    }
    // Whichever its place among the others: nobody waits for it, and it says nothing of those that are waited for.
    if (xid === reservedXid.ping) return;
    this.#pipeline.answer(xid, error, frame);
    this.answered += 1;
    if (zxid > this.seen) this.seen = zxid;
  }

  #takeEvent(frame: JuteReader): void {
    const type = frame.int();
    const path = frame.skip(4).text();
    if (type === noEvent) return;
    const known = eventTypes.get(type);
    // An event of a kind that is not asked for, such as the removal of a watch.
    if (known !== undefined) this.#tellEvent({ type: known, path });
  }

  #close(ending: Ending): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket.destroy();
    this.#welcome?.(null);
    this.#pipeline.abandon();
    this.#end(ending);
  }
}
