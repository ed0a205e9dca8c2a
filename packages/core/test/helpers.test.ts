import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onAbort } from '../src/abort-fan.js';
import { checkSize, checkValue } from '../src/codecs.js';
import { bytes, CoordinationError, fencing, json, text } from '../src/index.js';
import { decodeName, encodeName } from '../src/names.js';
import { checkWait } from '../src/settings.js';

describe('a name', () => {
  it('becomes one ASCII segment and comes back, and no two names share one', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => value.length <= 128);
    fc.assert(
      fc.property(name, name, (one, other) => {
        const segment = encodeName(one);
        expect(segment).toMatch(/^[\w.%-]+$/);
        expect(['.', '..']).not.toContain(segment);
        expect(decodeName(segment)).toBe(one);
        expect(segment === encodeName(other)).toBe(one === other);
      }),
    );
  });

  it.each(['', 'x'.repeat(129), '\uD800', 'a\uDC00b'])('%j is refused', (name) => {
    expect(() => encodeName(name)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('of dots alone does not climb', () => {
    expect([encodeName('.'), encodeName('..'), encodeName('a/b')]).toEqual(['%2E', '%2E%2E', 'a%2Fb']);
  });
});

describe('codecs', () => {
  it('bring values back', () => {
    expect(json.decode(json.encode({ a: [1, null] }))).toEqual({ a: [1, null] });
    expect(text.decode(text.encode('ä€𝄞'))).toBe('ä€𝄞');
    expect(bytes.decode(bytes.encode(Uint8Array.of(0, 255)))).toEqual(Uint8Array.of(0, 255));
  });

  it('refuse what has no form', () => {
    expect(() => json.encode(undefined)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => text.decode(Uint8Array.of(0xff))).toThrow();
    expect(() => checkValue(new Uint8Array(0))).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => checkSize(new Uint8Array(1_000_001))).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
    expect(checkValue(new Uint8Array(1_000_000))).toHaveLength(1_000_000);
  });
});

describe('fencing', () => {
  it('accepts rising and equal tokens and refuses lower ones, per resource', () => {
    const gate = new fencing.TokenGate();
    expect([gate.accept('a', 0n), gate.accept('a', 5n), gate.accept('a', 5n)]).toEqual([true, true, true]);
    expect(gate.accept('a', 4n)).toBe(false);
    expect(gate.accept('b', 4n)).toBe(true);
    expect([gate.highest('a'), gate.highest('none')]).toEqual([5n, undefined]);
  });

  it('writes tokens so that text sorts as numbers do', () => {
    const token = fc.bigInt({ min: 0n, max: 10n ** 39n - 1n });
    fc.assert(
      fc.property(token, token, (one, other) => {
        expect(fencing.formatFence(one)).toHaveLength(39);
        expect(fencing.formatFence(one) < fencing.formatFence(other)).toBe(one < other);
      }),
    );
    expect(() => fencing.formatFence(-1n)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});

describe('an error', () => {
  it('is known by its brand, carries its cause, and says whether to try again', () => {
    const cause = new Error('socket');
    const error = new CoordinationError('UNAVAILABLE', 'no answer', { cause });
    expect([error.retryable, error.cause, error.message]).toEqual([true, cause, '[UNAVAILABLE] no answer']);
    expect(new CoordinationError('OUTCOME_UNKNOWN', 'x').retryable).toBe(false);
    const copy: unknown = Object.assign(new Error(), {
      code: 'TIMEOUT',
      [Symbol.for('@concordat/core/CoordinationError')]: true,
    });
    expect([
      CoordinationError.is(copy),
      CoordinationError.is(copy, 'TIMEOUT'),
      CoordinationError.is(copy, 'CLOSED'),
    ]).toEqual([true, true, false]);
    expect(CoordinationError.is(new Error('other'))).toBe(false);
  });
});

describe('the options of a wait', () => {
  it('are refused when nobody knows them, naming the one that was meant', () => {
    expect(() => checkWait({ timeout: 5 } as object)).toThrow(/unknown option "timeout"; did you mean "timeoutMs"/);
    expect(() => checkWait({ data: 'x' } as object)).toThrow(/unknown option "data"/);
    expect(() => checkWait({ data: 'x', timeoutMs: 5 } as object, ['data'])).not.toThrow();
  });
});

describe('many waits on one signal', () => {
  it('share one listener and are each told once', () => {
    const controller = new AbortController();
    let listeners = 0;
    const add = controller.signal.addEventListener.bind(controller.signal);
    controller.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    let told = 0;
    const stops = Array.from({ length: 100 }, () => onAbort(controller.signal, () => told++));
    for (const stop of stops.slice(0, 50)) stop();
    controller.abort();
    expect([listeners, told]).toEqual([1, 50]);
  });

  it('leave no listener behind, which would keep some kinds of signals alive', () => {
    const { signal } = new AbortController();
    const stops = [onAbort(signal, () => undefined), onAbort(signal, () => undefined)];
    stops[0]?.();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stops[1]?.();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const again = onAbort(signal, () => undefined);
    stops[1]?.();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    again();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
