import { distinctUntilChanged, map, type Observable } from 'rxjs';
import { type Codec, decodeValue } from '../../codecs.js';
import type { Context } from '../../context.js';
import { CoordinationError } from '../../errors.js';
import { type Contender, waitingLine } from '../../lines/waiting-line.js';
import type { Key } from '../../spi/backend.js';

/** Who leads, as last seen. */
export interface Leader<T> {
  /** What the leader says of itself; `undefined` when that could not be decoded, see `error`. */
  readonly value: T | undefined;
  /** Token of its grant: compares with {@link Grant.token}. */
  readonly token: bigint;
  /** True while the session is not connected: somebody else may lead by now. */
  readonly stale: boolean;
  /** `BACKEND` when the value could not be decoded, otherwise `null`. */
  readonly error: CoordinationError | null;
}

interface First {
  readonly contender: Contender;
  readonly stale: boolean;
}

/** The first one of a line, as its codec reads it. */
export function leaderOf<T>(
  context: Context,
  dir: Key,
  codec: Codec<T>,
  what: string,
): Observable<Leader<T> | undefined> {
  return waitingLine(context, dir).pipe(
    map(({ contenders: [contender], stale }): First | undefined => contender && { contender, stale }),
    distinctUntilChanged(isSame),
    map((first) => first && toLeader(first, codec, what)),
  );
}

function isSame(one: First | undefined, other: First | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.stale === other.stale &&
    one.contender.token === other.contender.token &&
    Buffer.compare(one.contender.data, other.contender.data) === 0
  );
}

function toLeader<T>({ contender: { data, token }, stale }: First, codec: Codec<T>, what: string): Leader<T> {
  try {
    return { value: decodeValue(codec, data, what), token, stale, error: null };
  } catch (reason) {
    if (!CoordinationError.is(reason)) throw reason;
    return { value: undefined, token, stale, error: reason };
  }
}
