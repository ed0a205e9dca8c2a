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
  type Session,
} from '@concordat/core/spi';
import { EntryNumbers } from './entry-numbers.js';
import { endedError, unavailableError } from './errors.js';
import type { Keys } from './keys.js';
import { endingOf, entryName, kindOf } from './names.js';
import { toRegister } from './registers.js';
import type { Requests } from './requests.js';
import { nameOf } from './store/paths.js';
import type { Line, Placed } from './store/protocol.js';

/** One try to get in, with an entry's name that nothing else has meanwhile. */
interface Attempt {
  readonly session: string;
  readonly key: string;
  readonly line: Line;
  /** While this key exists the try is not applied. */
  readonly mark: string;
  toPlace(placed: Placed, atCreation: boolean): Place;
}

/** The context in which core asks for an entry. */
export interface EnterContext {
  readonly epoch: number;
  readonly signal: AbortSignal;
}

/** Ordered entries of this session. */
export class Entries {
  readonly #requests: Requests;
  readonly #session: Session;
  readonly #keys: Keys;
  #numbers = new EntryNumbers('');
  #attempts = 0;

  constructor(requests: Requests, session: Session, keys: Keys) {
    this.#requests = requests;
    this.#session = session;
    this.#keys = keys;
  }

  async enter(dir: Key, kind: Kind, data: Uint8Array, rule: Rule, { epoch, signal }: EnterContext): Promise<Place> {
    const value = new Uint8Array(data);
    for (;;) {
      this.#session.check(epoch);
      if (signal.aborted) throw unavailableError(signal.reason);
      const attempt = this.#attempt(dir, kind, rule, epoch);
      const placed = await this.#send(attempt, value);
      if (placed !== null) return attempt.toPlace(placed, true);
      const settled = await this.#settle(attempt, epoch);
      if (settled !== null) return attempt.toPlace(settled, false);
      // Voided: it is certain that the lost request is not and will not be applied, so this is no blind retry.
      await this.#session.connected(epoch);
    }
  }

  async ahead(entry: Entry, rule: Rule, call: Call): Promise<readonly Ref[] | null> {
    const request = { key: this.#keyOf(entry), created: entry.created, line: this.#line(entry.dir, rule) };
    const placed = await this.#requests.ask('ahead', request, call);
    return placed === null ? null : refsIn(entry.dir, placed);
  }

  async update(entry: Entry, data: Uint8Array, call: Call): Promise<void> {
    const request = { key: this.#keyOf(entry), created: entry.created, value: new Uint8Array(data) };
    if (await this.#requests.ask('update', request, call)) return;
    throw new CoordinationError('GRANT_LOST', `the entry ${entry.name} in ${entry.dir} is not there any more`);
  }

  // The name may be another's of mine by now.
  async leave(entry: Entry, call: Call): Promise<void> {
    const numbers = this.#numbers;
    const key = this.#keyOf(entry);
    const request = { key, version: null, created: entry.created, owner: null };
    const { done } = await this.#requests.ask('delete', request, call);
    if (done) numbers.removed(key);
  }

  async first(dir: Key, call: Call): Promise<Child | null> {
    const [oldest] = await this.#requests.ask('list', { dir: this.#keys.of(dir) }, call);
    if (oldest === undefined) return null;
    const name = nameOf(oldest.key);
    return { name, kind: kindOf(name), created: oldest.created, register: toRegister(oldest) };
  }

  // `null` when the reply was lost, and so the outcome.
  async #send({ session, key, mark, line }: Attempt, value: Uint8Array): Promise<Placed | null> {
    try {
      return await this.#requests.ask('enter', { session, key, value, unless: mark, line });
    } catch (error) {
      if (CoordinationError.is(error, 'OUTCOME_UNKNOWN')) return null;
      throw error;
    }
  }

  // The lost request may arrive late, after this: so an entry that is not there yet is voided in the step that looks for it.
  async #settle({ session, key, mark, line }: Attempt, epoch: number): Promise<Placed | null> {
    for (;;) {
      await this.#session.connected(epoch);
      this.#session.check(epoch);
      try {
        return await this.#requests.ask('settle', { session, key, mark, line });
      } catch (error) {
        if (CoordinationError.is(error, 'OUTCOME_UNKNOWN') || CoordinationError.is(error, 'UNAVAILABLE')) continue;
        throw error;
      }
    }
  }

  #attempt(dir: Key, kind: Kind, rule: Rule, epoch: number): Attempt {
    const session = this.#session.state.id;
    if (session === null) throw endedError();
    if (this.#numbers.session !== session) this.#numbers = new EntryNumbers(session);
    const numbers = this.#numbers;
    const number = numbers.take();
    const name = entryName(session, number, kind);
    const key = this.#keys.of(`${dir}/${name}`);
    this.#attempts += 1;
    return {
      session,
      key,
      line: this.#line(dir, rule),
      mark: this.#keys.voiding(`${session}-${String(this.#attempts)}`),
      toPlace: (placed, atCreation) => {
        numbers.stands(key, number);
        const entry = { dir, name, kind, epoch, created: placed.created, seen: null };
        return { entry, ahead: refsIn(dir, placed), atCreation };
      },
    };
  }

  #keyOf({ dir, name }: Entry): string {
    return this.#keys.of(`${dir}/${name}`);
  }

  #line(dir: Key, rule: Rule): Line {
    return { dir: this.#keys.of(dir), ending: rule.of === undefined ? null : endingOf(rule.of), limit: rule.limit };
  }
}

function refIn(dir: Key, name: string, created: bigint): Ref {
  return { dir, name, kind: kindOf(name), created, seen: null };
}

function refsIn(dir: Key, placed: Placed): readonly Ref[] {
  return placed.ahead.map(({ key, created }) => refIn(dir, nameOf(key), created));
}
