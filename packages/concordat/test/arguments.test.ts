import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../src/cli/arguments.js';

const store = { COORDINATOR_URL: 'memory:' };

function request(...args: string[]) {
  const intent = parseCommandLine(args, store);
  return intent.kind === 'lock' ? intent.request : intent.kind;
}

describe('the command line', () => {
  it('takes the store from the environment, and rather from --url', () => {
    expect(request('lock', 'a', '--', 'true')).toMatchObject({ url: 'memory:' });
    expect(request('lock', 'a', '--url', 'etcd://b', '--', 'true')).toMatchObject({ url: 'etcd://b' });
  });

  it('leaves everything behind the first -- to the command', () => {
    expect(request('lock', 'a', '--try', '--', 'ls', '--timeout', '--', '-x')).toMatchObject({
      tryOnly: true,
      timeoutMs: undefined,
      command: 'ls',
      commandArguments: ['--timeout', '--', '-x'],
    });
  });

  it('reads durations with units', () => {
    const args = ['lock', 'a', '--timeout', '1.5m', '--kill-after=250ms', '--data', 'me', '--quiet', '--', 'true'];
    expect(request(...args)).toMatchObject({ timeoutMs: 90_000, killAfterMs: 250, data: 'me', quiet: true });
    expect(request('lock', 'a', '--', 'true')).toMatchObject({ killAfterMs: 5_000 });
  });

  it('answers help and version, before everything else', () => {
    expect(request()).toBe('help');
    expect(request('-h')).toBe('help');
    expect(request('lock', '--help')).toBe('help');
    expect(request('--version')).toBe('version');
  });

  it.each([
    [['unlock', 'a', '--', 'true'], /unknown command/],
    [['lock', '--', 'true'], /name/],
    [['lock', 'a', 'true'], /--/],
    [['lock', 'a', '--'], /--/],
    [['lock', 'a', '--timeout', '10', '--', 'true'], /duration/],
    [['lock', 'a', '--timeout', '600h', '--', 'true'], /--timeout: at most 596h/],
    [['lock', 'a', '--kill-after', '600h', '--', 'true'], /--kill-after: at most 596h/],
    [['lock', 'a', '--timout', '10s', '--', 'true'], /timout/],
    [['lock', 'a', '--try=yes', '--', 'true'], /try/],
  ])('refuses %j', (args, message) => {
    expect(() => request(...args)).toThrow(message);
  });

  it('refuses to guess a store', () => {
    expect(() => parseCommandLine(['lock', 'a', '--', 'true'], {})).toThrow(/COORDINATOR_URL/);
  });
});
