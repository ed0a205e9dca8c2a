import {
  type Call,
  type Child,
  CoordinationError,
  type Entry,
  type Key,
  type Kind,
  type Place,
  type Ref,
  type Rule,
} from '@concordat/core/spi';
import { Backoff } from './backoff.js';
import { EntryNumbers } from './entry-numbers.js';
import { Gate } from './gate.js';
import type { Keys } from './keys.js';
import { entryName, kindIn, kindOf, scopeOf } from './names.js';
import { bytes, exists, isAbsent, toRegister, wasCreatedAt } from './registers.js';
import type { Requests } from './requests.js';
import type { SessionKeeper } from './session-keeper.js';
import {
  type Operation,
  type RangeReply,
  SortOrder,
  SortTarget,
  type Transaction,
  type TransactionReply,
} from './transport.js';

/** On whose behalf an entry is made. */
export interface EnterContext {
  readonly epoch: number;
  readonly signal: AbortSignal;
}

interface Attempt {
  readonly entry: Omit<Entry, 'created' | 'seen'>;
  readonly key: Buffer;
  readonly numbers: EntryNumbers;
  readonly number: number;
  /** Leased: keeps this attempt, should it arrive late, from having an effect. */
  readonly putVoid: Operation;
  readonly voidKey: Buffer;
}

// Each costs the server a look at the whole line. Thousands at once kept it from answering heartbeats: the session was lost, all
// entered again, and so on without end (3,000 waiters at a timeout of 12 s).
const enteringAtOnce = 64;

/**
 * Ordered entries: keys with the session's lease, in the order of their creation, as Go's `concurrency` lays them out.
 *
 * A request whose reply was lost may still be applied later, even after a clean-up that was answered (4 of 20 when tried). So each attempt
 * is conditional on a key of its own being absent, and giving it up means writing that key first.
 */
export class Entries {
  readonly #requests: Requests;
  readonly #keys: Keys;
  readonly #keeper: SessionKeeper;
  readonly #gate = new Gate(enteringAtOnce);
  #numbers = new EntryNumbers('0');
  #attempts = 0;

  constructor(requests: Requests, keys: Keys, keeper: SessionKeeper) {
    this.#requests = requests;
    this.#keys = keys;
    this.#keeper = keeper;
  }

  async enter(dir: Key, kind: Kind, data: Uint8Array, rule: Rule, context: EnterContext): Promise<Place> {
    const { epoch, signal } = context;
    const goneBefore = signal.aborted;
    for (;;) {
      const place = await this.#gate.run(async () => {
        if (signal.aborted && !goneBefore) throw gaveUp();
        return this.#try(this.#attempt(dir, kind, epoch), data, rule, context);
      });
      if (place !== null) return place;
      if (signal.aborted) throw gaveUp();
    }
  }

  async ahead(entry: Entry, rule: Rule, call: Call): Promise<readonly Ref[] | null> {
    const own: Operation = { request_range: { key: this.#keyOf(entry), keys_only: true } };
    const success = [own, this.#nearest(entry.dir, rule.of, rule.limit, entry.created - 1n)];
    const reply = await this.#requests.readTxn({ success }, call);
    const found = rangeAt(reply, 0).kvs[0];
    if (found === undefined || BigInt(found.create_revision) !== entry.created) return null;
    return this.#refs(entry.dir, reply, 1);
  }

  async update(entry: Entry, data: Uint8Array, call: Call): Promise<void> {
    const key = this.#keyOf(entry);
    const success: Operation[] = [{ request_put: { key, value: bytes(data), ignore_lease: true } }];
    const { succeeded } = await this.#requests.writeTxn({ compare: [wasCreatedAt(key, entry.created)], success }, call);
    if (!succeeded) throw new CoordinationError('GRANT_LOST', 'the entry is not there any more');
  }

  /** A plain delete while the name can only be this entry's; afterwards the name may be another's of mine. */
  async leave(entry: Entry, call: Call): Promise<void> {
    const key = this.#keyOf(entry);
    const removing = this.#numbers.removing(entry, () => this.#requests.delete(key, call));
    if (removing !== null) return removing;
    const success: Operation[] = [{ request_delete_range: { key } }];
    await this.#requests.writeTxn({ compare: [wasCreatedAt(key, entry.created)], success }, call);
  }

  async first(dir: Key, call: Call): Promise<Child | null> {
    const { range, nameOf } = this.#keys.below(dir);
    const order = { sort_target: SortTarget.Create, sort_order: SortOrder.Ascend, limit: 1 };
    const pair = (await this.#requests.range({ ...range, ...order }, call)).kvs[0];
    if (pair === undefined) return null;
    const register = toRegister(pair);
    const name = nameOf(pair.key);
    return { name, kind: kindOf(dir, name, register.owner), created: register.created, register };
  }

  #attempt(dir: Key, kind: Kind, epoch: number): Attempt {
    const lease = this.#keeper.lease(epoch);
    if (this.#numbers.lease !== lease) this.#numbers = new EntryNumbers(lease);
    const numbers = this.#numbers;
    const number = numbers.take();
    this.#attempts += 1;
    const voidKey = this.#keys.void(`${numbers.hex}-${String(this.#attempts)}`);
    const putVoid = { request_put: { key: voidKey, value: Buffer.from('1'), lease } };
    const entry = { dir, name: entryName(kind, `${numbers.hex}-${String(number)}`), kind, epoch };
    return { entry, key: this.#keyOf(entry), numbers, number, voidKey, putVoid };
  }

  /** `null` when the attempt was given up for good and a new one is due. */
  async #try(attempt: Attempt, data: Uint8Array, rule: Rule, context: EnterContext): Promise<Place | null> {
    const put: Operation = { request_put: { key: attempt.key, value: bytes(data), lease: attempt.numbers.lease } };
    // One more than asked for, since the range sees what the transaction itself has put.
    const success = [put, this.#nearest(attempt.entry.dir, rule.of, rule.limit + 1, 0n)];
    const transaction = { compare: [isAbsent(attempt.voidKey), isAbsent(attempt.key)], success };
    try {
      const reply = await this.#requests.writeTxn(transaction, this.#requests.ownCall());
      // Somebody else's work: a restored backup, or a hand.
      if (!reply.succeeded) return null;
      const created = BigInt(reply.header.revision);
      const ahead = this.#refs(attempt.entry.dir, reply, 1).filter((ref) => ref.created !== created);
      return { entry: stands(attempt, created, created), ahead: ahead.slice(-rule.limit), atCreation: true };
    } catch (error) {
      if (!CoordinationError.is(error, 'OUTCOME_UNKNOWN')) throw error;
      return this.#resolve(attempt, rule, context);
    }
  }

  /** Goes on until the store said what became of the attempt, or the session is over. */
  async #resolve(attempt: Attempt, rule: Rule, context: EnterContext): Promise<Place | null> {
    const { epoch, signal } = context;
    const { clock, session } = this.#requests;
    const backoff = new Backoff(clock);
    const stopListening = session.onLost(epoch, () => backoff.stop(), 'driver');
    try {
      for (;;) {
        await session.connected(epoch);
        const settled = await this.#settle(attempt, rule, signal.aborted);
        if (settled !== undefined) return settled;
        await backoff.wait();
      }
    } finally {
      stopListening();
    }
  }

  /** `undefined` when this try, too, ended without an answer. */
  async #settle(attempt: Attempt, rule: Rule, gaveUp: boolean): Promise<Place | null | undefined> {
    try {
      if (!gaveUp) return await this.#findOrVoid(attempt, rule);
      await this.#send({ success: [attempt.putVoid, { request_delete_range: { key: attempt.key } }] });
      return null;
    } catch (error) {
      if (CoordinationError.is(error, 'SESSION_LOST')) throw error;
      return undefined;
    }
  }

  async #findOrVoid(attempt: Attempt, rule: Rule): Promise<Place | null> {
    const own: Operation = { request_range: { key: attempt.key, keys_only: true } };
    const reply = await this.#send({ compare: [exists(attempt.key)], success: [own], failure: [attempt.putVoid] });
    const found = reply.succeeded ? rangeAt(reply, 0).kvs[0] : undefined;
    if (found === undefined) return null;
    const entry = stands(attempt, BigInt(found.create_revision), BigInt(reply.header.revision));
    const ahead = await this.ahead(entry, rule, this.#requests.ownCall());
    return ahead === null ? null : { entry, ahead, atCreation: false };
  }

  #send(transaction: Transaction): Promise<TransactionReply> {
    return this.#requests.writeTxn(transaction, this.#requests.ownCall());
  }

  #keyOf(entry: { readonly dir: Key; readonly name: string }): Buffer {
    return this.#keys.at(`${entry.dir}/${entry.name}`);
  }

  #nearest(dir: Key, of: Kind | undefined, limit: number, newest: bigint): Operation {
    const { range } = this.#keys.below(scopeOf(dir, of));
    return {
      request_range: {
        ...range,
        sort_target: SortTarget.Create,
        sort_order: SortOrder.Descend,
        limit,
        max_create_revision: String(newest),
        keys_only: true,
      },
    };
  }

  /** Oldest first. */
  #refs(dir: Key, reply: TransactionReply, index: number): readonly Ref[] {
    const { nameOf } = this.#keys.below(dir);
    const seen = BigInt(reply.header.revision);
    return rangeAt(reply, index)
      .kvs.map((pair) => {
        const name = nameOf(pair.key);
        return { dir, name, kind: kindIn(dir, name), created: BigInt(pair.create_revision), seen };
      })
      .reverse();
  }
}

function stands({ entry: { dir, name, kind, epoch }, numbers, number }: Attempt, created: bigint, seen: bigint): Entry {
  const entry = { dir, name, kind, epoch, created, seen };
  numbers.stands(entry, number);
  return entry;
}

function gaveUp(): CoordinationError {
  return new CoordinationError('UNAVAILABLE', 'the caller gave up, and nothing of it is or will be there');
}

function rangeAt(reply: TransactionReply, index: number): RangeReply {
  const range = reply.responses[index]?.response_range;
  if (range === undefined) throw new CoordinationError('BACKEND', 'etcd: a transaction lacks an answer');
  return range;
}
