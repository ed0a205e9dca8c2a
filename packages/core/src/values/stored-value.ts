import type { Observable } from 'rxjs';
import { Backoff } from '../backoff.js';
import { type Codec, decodeValue, encodeValue } from '../codecs.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import { checkWait } from '../settings.js';
import type { Consistency, Key, PutResult, Register } from '../spi/backend.js';
import { run } from '../work.js';
import { type Caller, onBehalf } from './caller.js';
import {
  checkDelete,
  checkRead,
  checkWrite,
  type DeletionOptions,
  type Expected,
  type ReadOptions,
  type WriteOptions,
} from './options.js';
import { type ConfigState, valueStates } from './value-states.js';

/** A value with the version that a compare-and-set needs. */
export interface Versioned<T> {
  /** As decoded, and the reader's own; from `update`, what `change` made. */
  readonly value: T;
  /** Rises with every write of this name, also over a deletion; comparable only with versions of the same one. 0 is a version. */
  readonly version: bigint;
}

/** One register with a codec: what a config value and a bundle are. */
export class StoredValue<T> {
  readonly #context: Context;
  readonly #key: Key;
  readonly #codec: Codec<T>;
  readonly #what: string;
  readonly value$: Observable<ConfigState<T>>;

  /** @param what names it in messages, such as `config a`. */
  constructor(context: Context, key: Key, codec: Codec<T>, what: string) {
    this.#context = context;
    this.#key = key;
    this.#codec = codec;
    this.#what = what;
    this.value$ = valueStates(context, key, (register) => this.#decode(register));
  }

  async get(options: ReadOptions = {}): Promise<Versioned<T> | undefined> {
    const consistency = checkRead(options);
    return this.#onBehalf(options, async (caller) => {
      const register = await this.#read(caller, consistency);
      return register === null ? undefined : { value: this.#decode(register), version: register.version };
    });
  }

  async set(value: T, options: WriteOptions = {}): Promise<bigint> {
    const expect = checkWrite(options);
    const encoded = encodeValue(this.#codec, value, this.#what);
    return this.#onBehalf(options, async (caller) => {
      const put = await this.#put(caller, encoded, expect);
      if (put.stored) return put.register.version;
      throw this.#refusal(expect, put.current);
    });
  }

  async update(
    change: (current: T | undefined) => T | PromiseLike<T>,
    options: WaitOptions = {},
  ): Promise<Versioned<T>> {
    checkWait(options);
    return this.#onBehalf(options, async (caller) => {
      const backoff = new Backoff();
      for (;;) {
        const { register: current, epoch } = await this.#readInSession(caller);
        const value = await caller.wait.race(run(change, current === null ? undefined : this.#decode(current)));
        const encoded = encodeValue(this.#codec, value, this.#what);
        const put = await this.#put(caller, encoded, current?.version ?? 'absent', epoch).catch(unlessSessionOver);
        if (put === null) continue;
        if (put.stored) return { value, version: put.register.version };
        // At random, so that those who lost one race together do not run the next one together.
        await caller.wait.pause(Math.random() * backoff.nextMs);
      }
    });
  }

  async delete(options: DeletionOptions = {}): Promise<boolean> {
    const expect = checkDelete(options);
    const condition = expect === undefined ? {} : { expect };
    return this.#onBehalf(options, async (caller) => {
      const result = await caller.write((backend, call) => backend.delete(this.#key, condition, call));
      if (result.deleted) return true;
      if (expect !== undefined && result.current !== null) throw this.#refusal(expect, result.current);
      return false;
    });
  }

  #onBehalf<R>(options: WaitOptions, work: (caller: Caller) => Promise<R>): Promise<R> {
    return onBehalf(this.#context, options, this.#what, work);
  }

  #read(caller: Caller, consistency: Consistency): Promise<Register | null> {
    return caller.read((backend, call) => backend.get(this.#key, consistency, call));
  }

  // A version says something within the session that read it alone: a store that was restored gives it again.
  async #readInSession(caller: Caller): Promise<{ readonly register: Register | null; readonly epoch: number }> {
    let epoch = 0;
    const register = await caller.read((backend, call) => {
      epoch = this.#context.session.epoch;
      return backend.get(this.#key, 'linearizable', call);
    });
    return { register, epoch };
  }

  #put(caller: Caller, value: Uint8Array, expect: Expected, epoch?: number): Promise<PutResult> {
    return caller.write((backend, call) => backend.put(this.#key, value, { expect }, call), epoch);
  }

  #decode({ value }: Register): T {
    return decodeValue(this.#codec, value, this.#what);
  }

  #refusal(expect: Expected, current: Register | null): CoordinationError {
    if (expect === 'any')
      return new CoordinationError('UNAVAILABLE', `${this.#what}: others came and went, and nothing was written`);
    const wanted = expect === 'absent' ? 'nothing was to be there' : `version ${expect} was expected`;
    const found = current === null ? 'nothing is there' : `version ${current.version} is`;
    return new CoordinationError('CONFLICT', `${this.#what}: ${wanted}, ${found}`);
  }
}

/** `null` when nothing was written since the session is over. */
function unlessSessionOver(reason: unknown): null {
  if (CoordinationError.is(reason, 'SESSION_LOST')) return null;
  throw reason;
}
