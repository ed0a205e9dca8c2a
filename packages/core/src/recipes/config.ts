import type { Observable } from 'rxjs';
import type { Codec } from '../codecs.js';
import type { Context } from '../context.js';
import type { WaitOptions } from '../limits.js';
import { checkPath } from '../names.js';
import { checkWait } from '../settings.js';
import { onBehalf } from '../values/caller.js';
import type { DeletionOptions, ReadOptions, WriteOptions } from '../values/options.js';
import { StoredValue, type Versioned } from '../values/stored-value.js';
import type { ConfigState } from '../values/value-states.js';

export type { DeletionOptions, Expected, ReadOptions, WriteOptions } from '../values/options.js';
export type { Versioned } from '../values/stored-value.js';
export type { ConfigState } from '../values/value-states.js';

/**
 * One value that everybody agrees on: read, compared and set, and watched. `a` and `a/b` are independent.
 *
 * Each call waits for the session as long as one request may take (5 s by default), or for `timeoutMs` when that is less; `update`
 * makes several such requests and waits between them.
 *
 * Not a guarantee: that what was read is still so when the call resolves; for that there are versions. A write that was aborted or timed
 * out after it was sent may be applied, as the message of a timeout says; one that was not yet sent never is.
 *
 * Errors of every call: `UNAVAILABLE` when the store did not answer a read, or a write was not sent, within the request limit (nothing was
 * written, try again); `OUTCOME_UNKNOWN` when a write was sent and its reply was lost, which is never tried again here; `TIMEOUT`, the
 * caller's `signal.reason`, `CLOSED`, `INVALID_ARGUMENT` and `TOO_LARGE` before anything is sent, `UNSUPPORTED` in a namespace of a newer
 * layout, `UNAUTHENTICATED`, `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`, `BACKEND`. No message and no cause of ours quotes a value.
 *
 * Source: the ZooKeeper paper's configuration management (§2.4), with the compare-and-set and the versions of either store.
 *
 * @example
 * ```ts
 * import type { Codec, Coordinator } from '@concordat/core';
 * import { json } from '@concordat/core';
 *
 * interface Limits {
 *   readonly perMinute: number;
 * }
 *
 * async function raise(coordinator: Coordinator): Promise<void> {
 *   const limits = coordinator.config('api/limits', json as Codec<Limits>);
 *   limits.value$.subscribe(({ value, stale, error }) => console.log(value?.perMinute, stale, error?.code));
 *   await limits.update((current) => ({ perMinute: (current?.perMinute ?? 0) + 60 }), { timeoutMs: 10_000 });
 * }
 * ```
 */
export interface Config<T> {
  /**
   * The value with its version, or `undefined` when there is none, on the store's word: a read that failed rejects.
   *
   * @throws {CoordinationError} `BACKEND` when what is stored cannot be decoded.
   */
  get(options?: ReadOptions): Promise<Versioned<T> | undefined>;
  /**
   * Stores a value, encoded before this call returns, and answers its version. One request, sent at most once.
   *
   * @throws {CoordinationError} `CONFLICT` when what `expect` asks for is not so, whatever is there instead; nothing was written.
   */
  set(value: T, options?: WriteOptions): Promise<bigint>;
  /**
   * Replaces the value by what `change` makes of it (`undefined`: there is none), by compare-and-set: it is called again with the newer value
   * when somebody else was first, after a pause that grows from under 50 ms up to 2 s, and when the session was lost before anything was written. So no update is lost, and `change` may run more than once.
   *
   * Waits as long as it takes, unless limited; stops at any error, `OUTCOME_UNKNOWN` above all. What `change` throws rejects it, and then
   * nothing was written. A value that cannot be decoded is never overwritten: `BACKEND`.
   */
  update(change: (current: T | undefined) => T | PromiseLike<T>, options?: WaitOptions): Promise<Versioned<T>>;
  /**
   * Removes the value: `true` when this call did, `false` when nothing was there, with or without `expect`.
   *
   * @throws {CoordinationError} `CONFLICT` when another version than the expected one is there.
   */
  delete(options?: DeletionOptions): Promise<boolean>;
  /**
   * Cold, behind one watch per path and coordinator, however many subscribe. Emits the current state, then newer ones: it may skip some, never goes back to
   * an older version, and always ends with the last one written, also after an outage, a new session, or a compaction of the store.
   *
   * In an outage the last state is kept and marked `stale`. A value that cannot be decoded is told in `error`, beside the last good one,
   * and the stream goes on. Completes on close; errors only for `UNAUTHENTICATED` and `PERMISSION_DENIED`. Unsubscribing stops the watch with its last subscriber.
   */
  readonly value$: Observable<ConfigState<T>>;
}

/**
 * The value at `path`: 1 to 1,024 characters, segments joined by `/`, none of them empty, `.` or `..`, no control, private-use or astral
 * characters. Stored as it is at `config/<path>`, for other clients to find.
 */
export function config<T>(context: Context, path: string, codec: Codec<T>): Config<T> {
  const key = `config/${checkPath(path, 'config path')}`;
  return new StoredValue(context, key, codec, `config ${path}`);
}

/**
 * Names of the values right below `prefix`, sorted by code unit; `''` is the top. Neither what lies further down, nor deleted values, nor anything else the
 * namespace holds.
 *
 * Includes every value that was there throughout the call, on the store's linearizable word; of one that comes or goes meanwhile either may be told. A read
 * that failed rejects, as `Config.get` does, and is never an empty list.
 */
export async function configKeys(context: Context, prefix: string, options: WaitOptions): Promise<readonly string[]> {
  checkWait(options);
  const dir = prefix === '' ? 'config' : `config/${checkPath(prefix, 'config prefix')}`;
  return onBehalf(context, options, `config keys of ${dir}`, (caller) =>
    caller.read((backend, call) => backend.children(dir, call)),
  );
}
