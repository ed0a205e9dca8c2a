import { describe, expect, it } from 'vitest';
import { CoordinationError, createCoordinator, parseUrl, redactUrl } from '../src/index.js';

const schemes = {
  store: { defaultPort: 100, secure: false, options: ['transport'] },
  stores: { defaultPort: 100, secure: true, options: [] },
  local: { defaultPort: null, secure: false, options: [] },
};

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (CoordinationError.is(error, 'INVALID_ARGUMENT')) return error.message;
    throw error;
  }
  throw new Error('accepted');
}

describe('a URL', () => {
  it('names hosts, namespace, credentials and options', () => {
    const url = 'store://us%65r:p%40ss@h1:1,h2,[::1]:3/a/b?sessionTimeout=12s&allowShortSession=true&transport=x';
    expect(parseUrl(url, schemes)).toEqual({
      scheme: 'store',
      options: {
        hosts: [
          { host: 'h1', port: 1 },
          { host: 'h2', port: 100 },
          { host: '::1', port: 3 },
        ],
        namespace: 'a/b',
        credentials: { username: 'user', password: 'p@ss' },
        sessionTimeoutMs: 12_000,
        allowShortSession: true,
        driverOptions: { transport: 'x' },
      },
    });
  });

  it('may be secure, or have no hosts at all', () => {
    expect(parseUrl('stores://h/', schemes).options).toEqual({ hosts: [{ host: 'h', port: 100 }], secure: true });
    expect(parseUrl('local:name', schemes).options).toEqual({ storeName: 'name' });
    expect(parseUrl('local:', schemes).options).toEqual({ storeName: '' });
  });

  it.each([
    ['', /starts with/],
    ['nothing', /starts with/],
    ['other://h', /unknown scheme "other"/],
    ['toString://h', /unknown scheme/],
    ['store:h', /store:\/\//],
    ['store://', /host/],
    ['store://h:0', /port/],
    ['store://h:65536', /port/],
    ['store://h:x', /host/],
    ['store://h,,i', /host/],
    ['store://h?sesionTimeout=1s', /did you mean "sessionTimeout"/],
    ['store://h?sessionTimeout=12', /duration/],
    ['store://h?sessionTimeout=1s&sessionTimeout=2s', /twice/],
    ['store://h?allowShortSession=yes', /true or false/],
    ['store://h/%zz', /percent/],
    ['store://h#x', /fragment/],
    ['store://:p@h', /user:password/],
  ])('%s is refused', (url, message) => {
    expect(refusal(() => parseUrl(url, schemes))).toMatch(message);
  });

  it('never shows its password', () => {
    for (const url of ['store://user:secret@h:x', 'store://user:secret@h?nonsense=1', 'store://user:sec%zzret@h'])
      expect(refusal(() => parseUrl(url, schemes))).not.toMatch(/sec.*ret/);
    expect(redactUrl('store://user:se:cr@et@h/n')).toBe('store://***@h/n');
  });
});

describe('options in code', () => {
  const driver = (): Promise<never> => new Promise(() => undefined);

  it.each([
    [{}, /hosts/],
    [{ hosts: ['h'] }, /port/],
    [{ hosts: ['h:1'], sesionTimeoutMs: 1 }, /did you mean "sessionTimeoutMs"/],
    [{ hosts: ['h:1'], sessionTimeoutMs: 5_999 }, /allowShortSession/],
    [{ hosts: ['h:1'], sessionTimeoutMs: 600_001 }, /600,000/],
    [{ hosts: ['h:1'], sessionTimeoutMs: Number.NaN }, /whole number/],
    [{ hosts: ['h:1'], namespace: 'a//b' }, /segments/],
    [{ hosts: ['h:1'], namespace: '/a' }, /segments/],
    [{ hosts: ['h:1'], namespace: 'a/../b' }, /segments/],
    [{ hosts: ['h:1'], namespace: 'a\u0000' }, /control/],
    [{ hosts: ['h:1'], requestTimeoutMs: 0 }, /requestTimeoutMs/],
  ])('%j is refused', (options, message) => {
    expect(refusal(() => createCoordinator(driver, options))).toMatch(message);
  });
});
