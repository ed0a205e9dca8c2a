import { filter } from 'rxjs';
import { type Codec, decodeValue, encodeValue } from '../codecs.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import { encodeName } from '../names.js';
import { checkWait } from '../settings.js';
import { isAlive } from '../shared-state/liveness.js';
import { type Seen, SharedState, type Verdict } from '../shared-state/shared-state.js';
import { waiting } from '../waiting.js';
import { isSame, type Meeting, meetings, nobody } from './rendezvous/meeting.js';
import { Publishing } from './rendezvous/publishing.js';

const mostBytes = 999_000;

/** A value that is published, until it is withdrawn or its session is over. */
export interface Publication {
  /**
   * Aborts when the publication is over: reason `NOT_HELD` after a withdrawal, `SESSION_LOST`, or `CLOSED`. Checks the clock when `aborted` is
   * read. Not a guarantee: that somebody who removes the value from the store by hand is noticed.
   */
  readonly signal: AbortSignal;
  /**
   * Ends it: aborts `signal`, and resolves when the store has removed the value. Idempotent, never rejects, never touches
   * another's. Goes on over outages and refusals and, for one session timeout, over the loss of its session, which the store may keep for a while; after that, and after a `close()`, the
   * value goes with the session. As long as the store refuses it, such as for a permission that was taken away, it waits.
   */
  withdraw(): Promise<void>;
  /** The same as {@link Publication.withdraw}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A meeting point: somebody publishes a value, such as an address, and others wait for it.
 *
 * A publication lives as long as its publisher's session. There is one at a time; after its end anybody may publish the next. Who waits gets a value
 * that was published, by somebody alive, at some moment of the wait.
 *
 * Not a guarantee: that it still stands, or that its publisher is still alive, when `wait` resolves.
 *
 * Errors of every call: `TIMEOUT`, the caller's `signal.reason`, `CLOSED`, `INVALID_ARGUMENT` and `TOO_LARGE` before anything is sent,
 * `UNAUTHENTICATED`, `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`, `BACKEND`. Outages and lost sessions are outlasted, within the caller's limit.
 *
 * Source: the rendezvous of the ZooKeeper paper (§2.4), in one register (docs/spec/rendezvous.md).
 *
 * @example
 * ```ts
 * import type { Codec, Coordinator } from '@concordat/core';
 * import { json } from '@concordat/core';
 *
 * interface Address {
 *   readonly host: string;
 *   readonly port: number;
 * }
 *
 * async function master(coordinator: Coordinator, address: Address, work: () => Promise<void>): Promise<void> {
 *   const publication = await coordinator.rendezvous('master', json as Codec<Address>).publish(address);
 *   try {
 *     await work();
 *   } finally {
 *     await publication.withdraw();
 *   }
 * }
 *
 * async function worker(coordinator: Coordinator): Promise<Address> {
 *   return coordinator.rendezvous('master', json as Codec<Address>).wait({ timeoutMs: 30_000 });
 * }
 * ```
 */
export interface Rendezvous<T> {
  /**
   * Publishes a value, encoded before this call returns; 1 to 999,000 bytes of the codec. Costs a read and a write, and a read more where a dead publication
   * stands. Over the loss of its session it tries again in the next one. When it rejects, nothing is published: what may have been, or may come
   * late, is withdrawn in the background, which `close()` waits for.
   *
   * @throws {CoordinationError} `ALREADY_EXISTS` while a live publication stands, of this coordinator as well.
   */
  publish(value: T, options?: WaitOptions): Promise<Publication>;
  /**
   * The value of a live publication, at once when there is one. Costs two reads, and two more for each publication that it was woken by.
   *
   * @throws {CoordinationError} `BACKEND` when what is published cannot be decoded.
   */
  wait(options?: WaitOptions): Promise<T>;
}

/** The meeting point on `name`. */
export function rendezvous<T>(context: Context, name: string, codec: Codec<T>): Rendezvous<T> {
  return new RegisterRendezvous(context, name, codec);
}

class RegisterRendezvous<T> implements Rendezvous<T> {
  readonly #context: Context;
  readonly #name: string;
  readonly #codec: Codec<T>;
  readonly #meeting: SharedState<Meeting>;

  constructor(context: Context, name: string, codec: Codec<T>) {
    this.#context = context;
    this.#name = name;
    this.#codec = codec;
    this.#meeting = new SharedState(context, `meet/${encodeName(name)}`, meetings, nobody);
  }

  async publish(value: T, options: WaitOptions = {}): Promise<Publication> {
    checkWait(options);
    const bytes = encodeValue(this.#codec, value, this.#label);
    if (bytes.length > mostBytes)
      throw new CoordinationError('TOO_LARGE', `${this.#label}: a value may have 999,000 bytes`);
    const publishing = new Publishing(this.#context, this.#name, this.#meeting, bytes);
    const describe = (): string => `nothing was published at ${this.#label}`;
    return waiting(this.#context, options, describe, (wait) => publishing.publish(wait));
  }

  async wait(options: WaitOptions = {}): Promise<T> {
    checkWait(options);
    const describe = (): string => `nobody published at ${this.#label}`;
    const value = await waiting(this.#context, options, describe, (wait) =>
      this.#meeting.settle<Uint8Array>(wait, async (seen: Seen<Meeting>): Promise<Verdict<Meeting, Uint8Array>> => {
        const { state } = seen;
        const { publisher, value } = state;
        if (publisher !== null && (await isAlive(this.#context, wait, publisher.session))) return { done: value };
        return {
          wake$: this.#meeting.after(seen).pipe(filter((next) => next.publisher !== null && !isSame(next, state))),
        };
      }),
    );
    return decodeValue(this.#codec, value, this.#label);
  }

  get #label(): string {
    return `rendezvous "${this.#name}"`;
  }
}
