import { inspect } from 'node:util';
import { checkedSignal } from '../checked-signal.js';
import type { Context } from '../context.js';
import { CoordinationError, withoutCode } from '../errors.js';
import type { Line } from '../event-log.js';
import { formatFence } from '../fencing.js';
import type { Entry } from '../spi/backend.js';
import { OwnWatch } from './own-watch.js';

/**
 * Something held, until released or lost.
 *
 * It stays held while the session is suspended, until `safeUntil`; it also ends when somebody deletes its entry by hand. After a pause
 * of this process the loss is declared before anything of ours runs, and every property here checks the clock when read.
 *
 * Not a guarantee: code that is paused or cut off may still act after the grant is over. Send `token` along
 * and let the resource refuse a lower one ({@link TokenGate}); nothing else protects it.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function nightly(coordinator: Coordinator, write: (fence: string) => Promise<void>): Promise<void> {
 *   const grant = await coordinator.lock('nightly').acquire({ timeoutMs: 5_000 });
 *   try {
 *     grant.assertHeld();
 *     await write(grant.fence);
 *   } finally {
 *     await grant.release();
 *   }
 * }
 * ```
 */
export interface Grant {
  /** Rises with every grant of this name, whoever gets it. Compares only within one namespace. Stays readable after the end. */
  readonly token: bigint;
  /** The token as 39 zero-padded digits, for JSON and text columns. */
  readonly fence: string;
  /** Aborts when the grant is over: reason `GRANT_LOST`, `NOT_HELD` after a release, or `CLOSED`. Checks the clock when `aborted` is read. */
  readonly signal: AbortSignal;
  /** Until when it is certainly held if nothing more is heard from the store, in ms on `performance.now()`; moves with heartbeats; 0 when over. */
  readonly safeUntil: number;
  /**
   * Returns while it is held.
   *
   * @throws {CoordinationError} `GRANT_LOST`, `NOT_HELD` or `CLOSED` when it is over.
   */
  assertHeld(): void;
  /**
   * Gives it back: drops it at once, aborts `signal` with `NOT_HELD`, and resolves when its entry or its session is gone. Idempotent, never
   * rejects, never touches another's entry.
   */
  release(): Promise<void>;
  /** What a log of it says: what for, and the fence. */
  toJSON(): { readonly primitive: string; readonly name: string; readonly fence: string };
  [Symbol.asyncDispose](): Promise<void>;
}

/** Why a grant is over: given back, or what ended it. */
type End = 'released' | CoordinationError;

/** A grant on an entry of this session. */
export class EntryGrant implements Grant {
  readonly #context: Context;
  readonly #line: Line;
  readonly #entry: Entry;
  readonly #token: bigint;
  readonly #stopListening: () => void;
  readonly #ownWatch: OwnWatch | null;
  #controller: AbortController | null = null;
  #signal: AbortSignal | null = null;
  #end: End | null = null;
  #reason: CoordinationError | null = null;
  #ended: ((reason: CoordinationError) => void) | null = null;
  #released: Promise<void> | null = null;
  readonly #acquiredAt: number;
  #heldMs = 0;

  /** @param since when the caller began to wait, on `performance.now()`. */
  constructor(context: Context, line: Line, entry: Entry, token: bigint, since: number) {
    this.#context = context;
    this.#line = line;
    this.#entry = entry;
    this.#token = token;
    const { session, events } = context;
    this.#acquiredAt = events.now();
    this.#stopListening = session.onLost(entry.epoch, {
      flag: (cause) => this.#drop(cause),
      abort: () => this.#abort(),
      end: () => this.#tell(),
      log: () => this.#log(),
    });
    const waitedMs = this.#acquiredAt - since;
    events.line(line, { type: 'acquired', entry: entry.name, token, reason: null, waitedMs });
    // Whoever was told of the grant may have ended it.
    this.#ownWatch = this.#end === null ? new OwnWatch(context, entry, () => this.#gone()) : null;
    if (this.#end !== null) this.#ownWatch?.stop();
  }

  get token(): bigint {
    this.#context.session.alive();
    return this.#token;
  }

  get fence(): string {
    return formatFence(this.token);
  }

  get signal(): AbortSignal {
    this.#context.session.alive();
    if (this.#signal !== null) return this.#signal;
    // Made on first use: most grants are shorter than what it costs to make one.
    this.#controller = new AbortController();
    this.#signal = checkedSignal(this.#controller, () => this.#context.session.alive());
    if (this.#end !== null) this.#abort();
    return this.#signal;
  }

  get safeUntil(): number {
    return this.#context.session.alive() && this.#end === null ? this.#context.session.safeUntil : 0;
  }

  assertHeld(): void {
    this.#context.session.alive();
    const reason = this.#why();
    if (reason !== null) throw reason;
  }

  release(): Promise<void> {
    if (this.#released !== null) return this.#released;
    this.#giveUp();
    const held = this.#end === 'released' ? { token: this.#token, heldMs: this.#heldMs } : null;
    this.#released = this.#context.leaving.leave(this.#line, this.#entry, held);
    this.#abort();
    this.#tell();
    return this.#released;
  }

  toJSON(): { readonly primitive: string; readonly name: string; readonly fence: string } {
    const { primitive, name } = this.#line;
    return { primitive, name, fence: this.fence };
  }

  [inspect.custom](): unknown {
    return this.toJSON();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** Why it ended, when it was not given back; checks the clock. */
  lost(): CoordinationError | null {
    this.#context.session.alive();
    return this.#end === 'released' ? null : this.#why();
  }

  /** Tells the one owning stream that the grant is over, after every signal of the same loss was aborted. */
  whenOver(ended: (reason: CoordinationError) => void): void {
    this.#ended = ended;
    if (this.#end !== null) this.#tell();
  }

  /** Where it is written, for whoever changes what it says there. */
  get entry(): Entry {
    return this.#entry;
  }

  /** Whether it is held; checks the clock. */
  get held(): boolean {
    return this.#context.session.alive() && this.#end === null;
  }

  /** Over at once, as by `release`, while its entry still keeps the next one out until that is called: for work that has to stop first. */
  stepDown(): void {
    this.#giveUp();
    this.#abort();
    this.#tell();
  }

  // Where it is being lost just now the rest of that loss stands: it is told of as one.
  #giveUp(): void {
    this.#context.session.alive();
    if (this.#end !== null) return;
    this.#drop('released');
    this.#stopListening();
  }

  #drop(end: End): void {
    this.#end = end;
    this.#heldMs = this.#context.events.now() - this.#acquiredAt;
    this.#ownWatch?.stop();
  }

  #abort(): void {
    if (this.#controller !== null) this.#controller.abort(this.#why());
  }

  #tell(): void {
    const ended = this.#ended;
    this.#ended = null;
    const reason = ended === null ? null : this.#why();
    if (reason !== null) ended?.(reason);
  }

  #log(): void {
    const reason = this.#why();
    if (reason === null) return;
    const type = reason.code === 'GRANT_LOST' ? 'grant-lost' : 'released';
    const { name: entry } = this.#entry;
    const heldMs = this.#heldMs;
    this.#context.events.line(this.#line, { type, entry, token: this.#token, reason, heldMs });
  }

  // Made when somebody asks: an error costs more than the rest of a release.
  #why(): CoordinationError | null {
    if (this.#reason === null && this.#end !== null) this.#reason = reasonOf(this.#line, this.#end);
    return this.#reason;
  }

  // Gone means lost at once: the next in line may be granted already, whatever else we could find out first.
  #gone(): void {
    const { requests, session } = this.#context;
    if (!session.alive() || this.#end !== null) return;
    this.#drop(new CoordinationError('NOT_FOUND', 'its entry is not in the store any more'));
    this.#stopListening();
    this.#abort();
    this.#tell();
    this.#log();
    // Tells a deleted entry from a session that is over: the heartbeat declares the latter for everything else held.
    requests.read((store, call) => store.confirm(call), this.#entry.epoch).catch(() => undefined);
  }
}

function reasonOf({ primitive, name }: Line, end: End): CoordinationError {
  const what = `${primitive} "${name}"`;
  if (end === 'released') return new CoordinationError('NOT_HELD', `${what} was released`);
  if (end.code === 'CLOSED') return end;
  const message = `${what} is not held any more: ${withoutCode(end)}`;
  return new CoordinationError('GRANT_LOST', message, { cause: end });
}
