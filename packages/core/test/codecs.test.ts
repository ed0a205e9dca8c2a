import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../src/codecs.js';
import { bytes, type Codec, CoordinationError, json, text } from '../src/index.js';
import { settingsCodec, settingsOf } from '../src/values/settings-codec.js';

const secret = 'hunter2';

describe('a codec that fails', () => {
  const failing = (failure: unknown): Codec<string> => ({
    encode: () => {
      throw failure;
    },
    decode: () => {
      throw failure;
    },
  });

  it.each([new SyntaxError(secret), secret, { secret }, null])('is told of without what it said: %o', (failure) => {
    const codec = failing(failure);
    const failures = [
      codeAndText(() => encodeValue(codec, secret, 'config a')),
      codeAndText(() => decodeValue(codec, Uint8Array.of(1), 'config a')),
    ];
    expect(failures.map(({ code }) => code)).toEqual(['INVALID_ARGUMENT', 'BACKEND']);
    for (const { shown } of failures) {
      expect(shown).toContain('config a');
      expect(shown).not.toContain(secret);
    }
  });

  it('is told of with its reason when that is an error of ours', () => {
    const codec = failing(new CoordinationError('BACKEND', 'port is missing'));
    expect(codeAndText(() => decodeValue(codec, Uint8Array.of(1), 'config a')).shown).toContain('port is missing');
    const tooLarge = failing(new CoordinationError('TOO_LARGE', 'too many points'));
    expect(codeAndText(() => encodeValue(tooLarge, '', 'config a')).code).toBe('TOO_LARGE');
  });

  it('quotes nothing of JSON, UTF-8 or bytes', () => {
    const attempts = [
      () => json.decode(new TextEncoder().encode(`{"a": ${secret}`)),
      () => json.encode({ toJSON: () => Number(secret).toFixed(-1) }),
      () => text.encode(`${secret}\uD800`),
      () => text.decode(Uint8Array.of(...new TextEncoder().encode(secret), 0xff)),
      () => bytes.encode(secret as unknown as Uint8Array),
    ];
    for (const attempt of attempts) expect(codeAndText(attempt).shown).not.toContain(secret);
  });
});

it('bytes that a codec hands on are taken as they are at that moment', () => {
  const given = Uint8Array.of(1);
  const encoded = encodeValue<Uint8Array>({ encode: (value) => value, decode: (value) => value }, given, 'config a');
  given[0] = 2;
  expect(encoded).toEqual(Uint8Array.of(1));
});

describe('settings', () => {
  const word = fc.string({ unit: 'grapheme' });
  const settings = fc
    .array(fc.tuple(fc.oneof(word, fc.constantFrom('__proto__', '10', '9')), word))
    .map((entries) => new Map(entries.filter(([key]) => key !== '')));

  it('come back, and are the same bytes in any order', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const encoded = settingsCodec.encode(given);
        expect(settingsCodec.decode(encoded)).toEqual(given);
        expect(settingsCodec.encode(new Map([...given].reverse()))).toEqual(encoded);
        expect([...settingsCodec.decode(encoded).keys()]).toEqual([...given.keys()].sort());
      }),
    );
  });

  it('are the same whether given as a map or as an object', () => {
    fc.assert(
      fc.property(settings, (given) => {
        expect(settingsOf(Object.fromEntries(given))).toEqual(settingsOf(given));
      }),
    );
  });
});

function codeAndText(attempt: () => unknown): { readonly code: string; readonly shown: string } {
  try {
    attempt();
  } catch (failure) {
    if (CoordinationError.is(failure)) return { code: failure.code, shown: inspect(failure, { depth: 8 }) };
    throw failure;
  }
  throw new Error('it did not fail');
}
