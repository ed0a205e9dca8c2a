import { type Codec, json } from '../codecs.js';
import { CoordinationError } from '../errors.js';
import { isWellFormed } from '../names.js';

const encoder = new TextEncoder();
// A watch shows everybody the same bytes: 5,000 observers of single settings read them once.
const alreadyRead = new WeakMap<Uint8Array, ReadonlyMap<string, string>>();

/** Settings as one JSON object of strings, keys sorted by code unit: the same settings are the same bytes. */
export const settingsCodec: Codec<ReadonlyMap<string, string>> = {
  encode(settings) {
    // Written member by member: an object would order `10` before `9`, and take `__proto__` for something else.
    const members = sorted(settings).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    return encoder.encode(`{${members.join(',')}}`);
  },
  decode(bytes) {
    const known = alreadyRead.get(bytes);
    if (known !== undefined) return known;
    const settings = fixed(new Map(sorted(settingsOf(json.decode(bytes)))));
    alreadyRead.set(bytes, settings);
    return settings;
  },
};

/**
 * A copy of settings that a caller, or a store, has as a map or an object.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`, which names the key and never quotes the value.
 */
export function settingsOf(given: unknown): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const [key, value] of entriesOf(given)) {
    checkSettingKey(key);
    if (typeof value !== 'string' || !isWellFormed(value)) throw invalid(`setting ${key} must be a well-formed string`);
    settings.set(key, value);
  }
  return settings;
}

/** @throws {CoordinationError} `INVALID_ARGUMENT` for what is no key of a setting. */
export function checkSettingKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || key === '' || !isWellFormed(key))
    throw invalid('the key of a setting must be a non-empty, well-formed string');
}

// Told by the tag, which maps and objects of another realm have as well. A list or a set has entries too, and is no settings.
function entriesOf(given: unknown): Iterable<readonly [unknown, unknown]> {
  const tag = Object.prototype.toString.call(given);
  if (tag === '[object Map]') return given as ReadonlyMap<unknown, unknown>;
  if (tag === '[object Object]') return Object.entries(given as object);
  throw invalid('settings must be a map or an object of strings');
}

// Everybody is given the same one: nobody may change what others see.
function fixed(settings: Map<string, string>): ReadonlyMap<string, string> {
  const refuse = (): never => {
    throw new TypeError('published settings cannot be changed; publish a copy');
  };
  for (const change of ['set', 'delete', 'clear']) Object.defineProperty(settings, change, { value: refuse });
  return settings;
}

function sorted(settings: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...settings].sort(([one], [other]) => (one < other ? -1 : 1));
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
