import { CoordinationError } from './errors.js';
import { maxValueBytes } from './limits.js';
import { isWellFormed } from './names.js';

/**
 * How a value becomes 1 to 1,000,000 bytes and back. Synchronous; both directions throw what they do not understand.
 *
 * Of what it throws, a {@link CoordinationError} becomes the cause of ours, so its message must not quote the value. Of anything else only
 * the name is told, since the messages of parsers quote what they read.
 *
 * @example
 * ```ts
 * import { bytes, type Codec } from '@concordat/core';
 *
 * const flag: Codec<boolean> = {
 *   encode: (value) => bytes.encode(Uint8Array.of(value ? 1 : 0)),
 *   decode: ([first]) => first === 1,
 * };
 * ```
 */
export interface Codec<T> {
  /** Called before anything is sent; what it answers is taken as it is at that moment. */
  encode(value: T): Uint8Array;
  /** Called for each observer by itself, so what it answers is his to change; the bytes are not. */
  decode(bytes: Uint8Array): T;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Values as JSON text in UTF-8, the way `JSON.stringify` writes them: a `Date` becomes text, `NaN` becomes `null`, a `Map` becomes `{}`.
 * What has no JSON form at all (`undefined`, functions, `bigint`, circles) is refused when encoding. Its errors quote nothing.
 */
export const json: Codec<unknown> = {
  encode(value) {
    const written = attempt(() => JSON.stringify(value) as string | undefined);
    if (written === undefined) throw new CoordinationError('INVALID_ARGUMENT', 'this value has no JSON form');
    return encoder.encode(written);
  },
  decode(bytes) {
    // `null` is a JSON value, a tuple of one is none.
    const read = attempt(() => [JSON.parse(decoder.decode(bytes)) as unknown] as const);
    if (read === undefined) throw new CoordinationError('BACKEND', 'these bytes are no JSON text in UTF-8');
    return read[0];
  },
};

/**
 * JSON as {@link json}, with the type that you know it has. Without `parse` that is a claim, and a value of another shape goes through; with it, what it throws is told
 * as a value that cannot be decoded.
 *
 * @example
 * ```ts
 * import { type Coordinator, jsonOf } from '@concordat/core';
 *
 * async function limit(coordinator: Coordinator): Promise<number | undefined> {
 *   const limits = coordinator.config('billing', jsonOf<{ readonly daily: number }>());
 *   return (await limits.get())?.value.daily;
 * }
 * ```
 */
export function jsonOf<T>(parse: (value: unknown) => T = (value) => value as T): Codec<T> {
  return { encode: (value) => json.encode(value), decode: (bytes) => parse(json.decode(bytes)) };
}

/**
 * Strings as UTF-8. Refused when encoding: half a surrogate pair, which has no UTF-8 form; and, as zero bytes mean absent, the
 * empty string is refused by whoever stores it.
 */
export const text: Codec<string> = {
  encode(value) {
    if (typeof value !== 'string' || !isWellFormed(value))
      throw new CoordinationError('INVALID_ARGUMENT', 'this value is no well-formed string');
    return encoder.encode(value);
  },
  decode(bytes) {
    const read = attempt(() => decoder.decode(bytes));
    if (read === undefined) throw new CoordinationError('BACKEND', 'these bytes are no UTF-8');
    return read;
  },
};

/** Bytes as they are, copied both ways. */
export const bytes: Codec<Uint8Array> = {
  encode(value) {
    if (!(value instanceof Uint8Array)) throw new CoordinationError('INVALID_ARGUMENT', 'this value is no byte array');
    return new Uint8Array(value);
  },
  decode: (value) => new Uint8Array(value),
};

/**
 * A caller's value as bytes that may be stored.
 *
 * @param what names the value in messages, such as `config a`.
 * @throws {CoordinationError} `INVALID_ARGUMENT`, `TOO_LARGE`
 */
export function encodeValue<T>(codec: Codec<T>, value: T, what: string): Uint8Array {
  return checkValue(encodeBytes(codec, value, what));
}

/** The same as bytes of any number, for what is stored as a part of something. */
export function encodeBytes<T>(codec: Codec<T>, value: T, what: string): Uint8Array {
  let encoded: unknown;
  try {
    encoded = codec.encode(value);
  } catch (failure) {
    if (CoordinationError.is(failure, 'TOO_LARGE')) throw failure;
    throw codecError('INVALID_ARGUMENT', `${what}: the value cannot be encoded`, failure);
  }
  // Sent later, perhaps more than once: what becomes of the codec's own bytes until then is no concern of the value.
  if (encoded instanceof Uint8Array) return new Uint8Array(encoded);
  throw new CoordinationError('INVALID_ARGUMENT', 'a value must be bytes');
}

/**
 * A stored value as its codec reads it.
 *
 * @param what names the value in messages, such as `config a`.
 * @throws {CoordinationError} `BACKEND`, which quotes nothing of the value.
 */
export function decodeValue<T>(codec: Codec<T>, value: Uint8Array, what: string): T {
  try {
    return codec.decode(value);
  } catch (failure) {
    throw codecError('BACKEND', `${what}: the stored value cannot be decoded`, failure);
  }
}

/**
 * Refuses, before anything is sent, what no backend stores alike.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` for zero bytes, `TOO_LARGE` above 1,000,000.
 */
export function checkValue(value: Uint8Array): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new CoordinationError('INVALID_ARGUMENT', 'a value must be bytes');
  if (value.length === 0) throw new CoordinationError('INVALID_ARGUMENT', 'a value must have at least 1 byte');
  return checkSize(value);
}

/** Only the upper limit: entries may be empty. */
export function checkSize(value: Uint8Array): Uint8Array {
  if (value.length <= maxValueBytes) return value;
  const size = value.length.toLocaleString('en-US');
  throw new CoordinationError('TOO_LARGE', `a value may have 1,000,000 bytes, this one has ${size}`);
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function codecError(code: 'INVALID_ARGUMENT' | 'BACKEND', message: string, failure: unknown): CoordinationError {
  if (CoordinationError.is(failure)) return new CoordinationError(code, message, { cause: failure });
  const name = failure instanceof Error ? failure.constructor.name : typeof failure;
  return new CoordinationError(code, `${message}; the codec threw ${name}`);
}

/** Refuses, before anything is done, what is no codec. */
export function checkCodec<T>(codec: Codec<T>): Codec<T> {
  const { encode, decode } = Object(codec) as Partial<Codec<T>>;
  if (typeof encode === 'function' && typeof decode === 'function') return codec;
  throw new CoordinationError('INVALID_ARGUMENT', 'a codec must have the functions encode and decode');
}
