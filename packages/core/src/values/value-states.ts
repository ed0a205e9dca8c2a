import { combineLatest, map, type Observable, scan } from 'rxjs';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import { layoutRefusals } from '../layout-states.js';
import { seen } from '../seen.js';
import type { Key, Register } from '../spi/backend.js';

/** A watched value as last seen. */
export interface ConfigState<T> {
  /** The last value that could be decoded; `undefined` when there is none, or none could be decoded so far. */
  readonly value: T | undefined;
  /** Version of that value, for a compare-and-set; `undefined` along with it. */
  readonly version: bigint | undefined;
  /**
   * True while the session is not connected: the value may have changed. False does not promise the newest value, only that a change is on its
   * way; `get` answers the newest.
   */
  readonly stale: boolean;
  /**
   * Why what is stored now cannot be shown, with the last value kept beside it: `BACKEND` when it cannot be decoded,
   * `UNSUPPORTED` in a namespace of a newer layout. `null` when it is shown.
   */
  readonly error: CoordinationError | null;
}

type Shown<T> = Omit<ConfigState<T>, 'stale'>;

/** The states of one register's value; see `Config.value$`. */
export function valueStates<T>(
  context: Context,
  key: Key,
  decode: (register: Register) => T,
): Observable<ConfigState<T>> {
  const nothing: Shown<T> = { value: undefined, version: undefined, error: null };
  const shown = combineLatest([context.watches.register(key), layoutRefusals(context)]).pipe(
    scan((last: Shown<T>, [register, refusal]) => {
      if (refusal !== null) return { ...last, error: refusal };
      return register === null ? nothing : shownOf(register, decode, last);
    }, nothing),
  );
  return seen(context, shown).pipe(
    map(({ value: { value, version, error }, stale }) => ({ value, version, stale, error })),
  );
}

function shownOf<T>(register: Register, decode: (register: Register) => T, last: Shown<T>): Shown<T> {
  try {
    return { value: decode(register), version: register.version, error: null };
  } catch (reason) {
    if (!CoordinationError.is(reason)) throw reason;
    return { ...last, error: reason };
  }
}
