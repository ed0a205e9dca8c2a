import type { Context } from '../../context.js';
import { CoordinationError, type CoordinationErrorCode } from '../../errors.js';
import type { EntryGrant } from '../../lines/grant.js';
import type { PutResult } from '../../spi/backend.js';
import { untilAnswered } from '../../until-answered.js';
import { waiting } from '../../waiting.js';
import type { KeyPlace } from './places.js';
import { isRecorded, type OnceRecord, type Recorded, recordOf, writeRecord } from './record.js';

/** What becomes of the work of an intent that is in the way: it never ran, it may have run and this is agreed to, or it may have and is not. */
export type Met = 'never-ran' | 'may-have-run' | 'stands';

/** How long the end of a work is written down for: about two session timeouts, so that the next session may do it. */
const mostRequests = 6;
// A refusal wrote nothing, and may pass.
const passing = [
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'SESSION_LOST',
  'BACKEND',
  'PERMISSION_DENIED',
  'UNAUTHENTICATED',
] as const;

/** Failures after which nothing was written for certain. */
const harmless: ReadonlySet<CoordinationErrorCode> = new Set(['UNAVAILABLE', 'PERMISSION_DENIED', 'UNAUTHENTICATED']);

/**
 * The word, written before a work runs, that it may have run: later replaced by its result, or withdrawn.
 *
 * What guards it is the version of its register: whoever replaced it has the say. The version that is compared was read or written while the
 * lock is held, or right before, in the same session; so no compare is outstanding when a swept record is unlinked an hour later.
 */
export class Intent {
  readonly grant: EntryGrant;
  readonly #context: Context;
  readonly #place: KeyPlace;
  readonly #token: bigint;
  #claiming: Promise<unknown> = Promise.resolve();
  #version: bigint | null = null;
  #unsure = false;
  #overInterruption = false;

  constructor(context: Context, place: KeyPlace, grant: EntryGrant) {
    this.#context = context;
    this.#place = place;
    this.grant = grant;
    this.#token = grant.token;
  }

  get token(): bigint {
    return this.#token;
  }

  /** Whether its lock is held, by the clock as well. */
  get held(): boolean {
    return this.grant.safeUntil > 0;
  }

  /** Whether it took the place of one whose work may have run. */
  get overInterruption(): boolean {
    return this.#overInterruption;
  }

  /**
   * Writes it down, unless there is a result, which is answered then. Goes on until the outcome is certain or the session is over.
   *
   * @param judge of the intent of another holder; a lock is held, so that one is done or cut off.
   */
  claim(judge: (token: bigint) => Met): Promise<Recorded | null> {
    const claiming = this.#claim(judge);
    this.#claiming = claiming.catch(() => undefined);
    return claiming;
  }

  /** Replaces it by the result. Settles in bounded time: see {@link mostRequests}. */
  async commit(result: Uint8Array): Promise<void> {
    let answer: PutResult;
    try {
      answer = await this.#settle(result, (found) => this.#isThis(found));
    } catch (reason) {
      if (CoordinationError.is(reason, 'CLOSED')) throw reason;
      const message = `${this.#place.what}: the work ran, and whether its result is recorded is not known`;
      throw new CoordinationError('OUTCOME_UNKNOWN', message, { cause: reason });
    }
    if (answer.stored) return;
    const found = recordOf(answer.current);
    // The reply to an earlier try was lost.
    if (isRecorded(found) && found.token === this.#token) return;
    const now = found === null ? 'removed' : `replaced by token ${found.token}`;
    const message = `${this.#place.what}: the intent of token ${this.#token} was ${now}, so its result is not recorded`;
    const cause = this.grant.lost();
    throw new CoordinationError('GRANT_LOST', message, cause === null ? {} : { cause });
  }

  /**
   * Says that the work may run again; in bounded time, never rejects. What could not be withdrawn is an interruption to the next one.
   *
   * Not a deletion: a record in its place refuses the intent whose request is applied late. One that took the place of an interruption stays:
   * the consent was to run it once more, and says nothing of what ran before.
   */
  async withdraw(): Promise<void> {
    await this.#claiming;
    if (this.#overInterruption) return;
    if (this.#version === null && !this.#unsure) return;
    const record = writeRecord({ state: 'withdrawn', token: this.#token, expiresAt: Date.now() });
    const free = (found: OnceRecord | null): boolean =>
      found === null || found.state === 'withdrawn' || this.#isThis(found);
    await this.#settle(record, free).catch(() => undefined);
  }

  async #claim(judge: (token: bigint) => Met): Promise<Recorded | null> {
    this.grant.assertHeld();
    const { epoch } = this.#context.session;
    const intent = writeRecord({ state: 'intent', token: this.#token });
    let expect: 'absent' | bigint = 'absent';
    for (;;) {
      const answer = await this.#put(intent, expect, epoch);
      if (answer.stored) {
        this.#version = answer.register.version;
        return null;
      }
      const { current } = answer;
      const found = recordOf(current);
      if (current === null) {
        expect = 'absent';
        continue;
      }
      if (found === null) throw notOurs(this.#place);
      if (isRecorded(found)) return found;
      if (this.#isThis(found)) {
        this.#version = current.version;
        return null;
      }
      const met = found.state === 'intent' ? judge(found.token) : 'never-ran';
      if (met === 'stands') throw interrupted(this.#place, found.token);
      this.#overInterruption = met === 'may-have-run';
      expect = current.version;
    }
  }

  // Repeated when no reply came, also behind a caller who has gone: what was written tells by its token whose it is.
  #put(intent: Uint8Array, expect: 'absent' | bigint, epoch: number): Promise<PutResult> {
    const { requests } = this.#context;
    const { register } = this.#place;
    const put = async (): Promise<PutResult> => {
      try {
        return await requests.write((backend, call) => backend.put(register, intent, { expect }, call), epoch);
      } catch (reason) {
        if (!CoordinationError.is(reason) || !harmless.has(reason.code)) this.#unsure = true;
        throw reason;
      }
    };
    return waiting(
      this.#context,
      {},
      () => '',
      (wait) => untilAnswered(wait, put),
    );
  }

  #settle(value: Uint8Array, mayReplace: (found: OnceRecord | null) => boolean): Promise<PutResult> {
    const timeoutMs = mostRequests * this.#context.requests.timeoutMs;
    let trouble = 'the store did not answer';
    const replace = async (): Promise<PutResult> => {
      try {
        return await this.#replace(value, mayReplace);
      } catch (reason) {
        if (CoordinationError.is(reason)) trouble = reason.message;
        throw reason;
      }
    };
    return waiting(
      this.#context,
      { timeoutMs },
      () => trouble,
      (wait) => untilAnswered(wait, replace, passing),
    );
  }

  async #replace(value: Uint8Array, mayReplace: (found: OnceRecord | null) => boolean): Promise<PutResult> {
    const { requests, session } = this.#context;
    const { register } = this.#place;
    let expect: 'absent' | bigint | null = this.held ? this.#version : null;
    const { epoch } = session;
    if (expect === null) {
      const current = await requests.read((backend, call) => backend.get(register, 'linearizable', call), epoch);
      const found = recordOf(current);
      if ((current !== null && found === null) || !mayReplace(found)) return { stored: false, current };
      expect = current?.version ?? 'absent';
    }
    const condition = { expect };
    return requests.write((backend, call) => backend.put(register, value, condition, call), epoch);
  }

  #isThis(found: OnceRecord | null): boolean {
    return found?.state === 'intent' && found.token === this.#token;
  }
}

export function notOurs({ what }: KeyPlace): CoordinationError {
  return new CoordinationError('BACKEND', `${what}: its record is not one of ours`);
}

function interrupted({ what }: KeyPlace, token: bigint): CoordinationError {
  const message = `${what}: its work was begun with token ${token} and may have run, but nothing was recorded`;
  return new CoordinationError('OUTCOME_UNKNOWN', message);
}
