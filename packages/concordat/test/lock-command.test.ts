import { expect, it, vi } from 'vitest';
import { exitCodes } from '../src/cli/exit-codes.js';
import { lockCommand } from '../src/cli/lock-command.js';
import { Notices } from '../src/cli/notices.js';
import { SignalRouter } from '../src/cli/signal-router.js';

const blockedMs = 1_500;

vi.mock(import('node:child_process'), async (original) => {
  const real = await original();
  const spawn = (...args: Parameters<typeof real.spawn>) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs);
    return real.spawn(...args);
  };
  return { ...real, spawn: spawn as typeof real.spawn };
});

it('ends the command when the lock was lost while it was being started', async () => {
  const said: unknown[] = [];
  const notices = new Notices({ write: (text: unknown) => said.push(text) > 0 });
  const signals = new SignalRouter(false);
  const request = {
    name: 'slow start',
    url: 'memory:slow-start?sessionTimeout=1s&allowShortSession=true',
    timeoutMs: undefined,
    tryOnly: false,
    killAfterMs: 1_000,
    data: undefined,
    quiet: true,
    command: process.execPath,
    commandArguments: ['-e', 'setTimeout(() => {}, 8_000)'],
  };
  const startedAt = performance.now();
  expect(await lockCommand(request, signals, notices)).toBe(exitCodes.lost);
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  expect(said.join('')).toMatch(/the command was ended/);
  signals.stop();
});
