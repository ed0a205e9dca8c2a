import { distinctUntilChanged, filter, map, type Observable } from 'rxjs';
import type { Context } from '../context.js';
import type { CoordinationError } from '../errors.js';
import { encodeName } from '../names.js';
import type { ReadOptions, WriteOptions } from '../values/options.js';
import { checkSettingKey, settingsCodec, settingsOf } from '../values/settings-codec.js';
import { StoredValue, type Versioned } from '../values/stored-value.js';

/** Settings by key: non-empty, well-formed strings, to well-formed strings that may be empty. */
export type Settings = ReadonlyMap<string, string>;

/** A watched bundle as last seen. */
export interface BundleState {
  /** The last complete set that could be read, sorted by key; `undefined` while nothing was published. */
  readonly settings: Settings | undefined;
  /** Version of that set; `undefined` along with it. */
  readonly version: bigint | undefined;
  /** True while the session is not connected: a newer set may have been published. */
  readonly stale: boolean;
  /** Why what is stored now cannot be shown, with the last complete set kept beside it; `null` when it is shown. */
  readonly error: CoordinationError | null;
}

/**
 * Many settings that are published and seen all at once: readers never see a mixture of two sets, and never lose the previous complete one, also when
 * the publisher dies half-way.
 *
 * The whole set is one register, written by one request: one JSON object of at most 1,000,000 bytes in UTF-8, keys sorted, so that the same set is the same bytes.
 *
 * Not a guarantee: that two readers see a new set at the same moment, or that one sees every set in between.
 *
 * Errors of every call are those of {@link Config}; `TOO_LARGE` before anything is sent.
 *
 * Source: the ZooKeeper paper's "ready" node (§2.3), which needs a write per setting and readers that wait; one register needs neither.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function switchOver(coordinator: Coordinator): Promise<void> {
 *   const settings = coordinator.bundle('billing');
 *   settings.setting$('primary').subscribe((address) => console.log(address));
 *   await settings.publish({ primary: 'db2:5432', replica: 'db1:5432' });
 * }
 * ```
 */
export interface Bundle {
  /** The complete set with its version, or `undefined` when nothing was published, on the store's word. */
  get(options?: ReadOptions): Promise<Versioned<Settings> | undefined>;
  /**
   * Publishes a set in place of the whole previous one, taken as it is when called, and answers its version. An empty set is one. One request,
   * sent at most once: `OUTCOME_UNKNOWN` says that its reply was lost, and then readers see either set, complete.
   *
   * @throws {CoordinationError} `CONFLICT` when what `expect` asks for is not so; nothing was written.
   */
  publish(settings: Settings | Readonly<Record<string, string>>, options?: WriteOptions): Promise<bigint>;
  /**
   * Cold, behind one watch per bundle and coordinator, however many subscribe. Emits the current state, then newer ones: may skip some, never goes back, and ends
   * with the last set published. What is stored by others and is no set of settings is told in `error`, and the last complete set stays.
   * Completes on close; errors only for `UNAUTHENTICATED` and `PERMISSION_DENIED`.
   */
  readonly value$: Observable<BundleState>;
  /**
   * One setting: emits its value, or `undefined` when there is none or no bundle, and then each change of it, not of others. In an outage, and
   * while what is stored is no set of settings, it is silent. Behind the same watch as `value$`; completes and errors like it.
   *
   * @throws {CoordinationError} `INVALID_ARGUMENT` for a key that no setting can have.
   */
  setting$(key: string): Observable<string | undefined>;
}

/** The bundle on `name`. */
export function bundle(context: Context, name: string): Bundle {
  const stored = new StoredValue(context, `bundle/${encodeName(name)}`, settingsCodec, `bundle ${name}`);
  const value$ = stored.value$.pipe(map(({ value: settings, ...state }): BundleState => ({ settings, ...state })));
  return {
    get: (options) => stored.get(options),
    publish: async (settings, options) => stored.set(settingsOf(settings), options),
    value$,
    setting$: (key) => {
      checkSettingKey(key);
      return value$.pipe(
        // What cannot be read says nothing of a setting.
        filter(({ settings, error }) => settings !== undefined || error === null),
        map(({ settings }) => settings?.get(key)),
        distinctUntilChanged(),
      );
    },
  };
}
