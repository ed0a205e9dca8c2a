import { CoordinationError } from './errors.js';
import { maxValueBytes } from './limits.js';

/** How a value becomes 1 to 1,000,000 bytes and back; both directions throw what they do not understand. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Values as JSON text. What JSON cannot say (`undefined`, functions) is refused when encoding. */
export const json: Codec<unknown> = {
  encode(value) {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) throw new CoordinationError('INVALID_ARGUMENT', 'this value has no JSON form');
    return encoder.encode(text);
  },
  decode: (bytes) => JSON.parse(decoder.decode(bytes)) as unknown,
};

/** Strings as UTF-8; the empty string is refused by every backend, since zero bytes mean absent. */
export const text: Codec<string> = {
  encode: (value) => encoder.encode(value),
  decode: (bytes) => decoder.decode(bytes),
};

/** Bytes as they are. */
export const bytes: Codec<Uint8Array> = { encode: (value) => value, decode: (value) => value };

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
