import { type Codec, checkSize, encodeBytes } from '../../codecs.js';
import { CoordinationError } from '../../errors.js';
import type { KeyPlace } from './places.js';
import { writeRecord } from './record.js';

/** Whose result it is, and for how long. */
export interface ResultOf {
  readonly place: KeyPlace;
  readonly token: bigint;
  readonly keepMs: number;
}

/**
 * The record of what a work answered.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` or `TOO_LARGE`, saying that the work has run.
 */
export function writeResult<T>(codec: Codec<T>, result: T, { place, token, keepMs }: ResultOf): Uint8Array {
  const expiresAt = Math.ceil(Date.now() + keepMs);
  if (result === undefined) return writeRecord({ state: 'nothing', token, expiresAt, value: null });
  try {
    const value = encodeBytes(codec, result, place.what);
    return checkSize(writeRecord({ state: 'result', token, expiresAt, value }));
  } catch (cause) {
    const code = CoordinationError.is(cause, 'TOO_LARGE') ? cause.code : 'INVALID_ARGUMENT';
    throw new CoordinationError(code, `${place.what}: the work ran, but its result cannot be stored`, { cause });
  }
}
