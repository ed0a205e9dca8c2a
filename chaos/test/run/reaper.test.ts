import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Reaper } from '../../run/reaper.js';

const idle = ['-e', 'setInterval(() => undefined, 1_000)'];

describe('the reaper', () => {
  it('kills whoever is left when the run ends, one that stands still included, and nobody else', async () => {
    const left = spawn(process.execPath, idle);
    const gone = spawn(process.execPath, idle);
    try {
      const reaper = new Reaper();
      for (const { pid } of [left, gone]) reaper.watch(pid ?? 0);
      reaper.forget(gone.pid ?? 0);
      left.kill('SIGSTOP');
      const ended = once(left, 'exit');
      reaper.close();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(gone.exitCode ?? gone.signalCode).toBeNull();
    } finally {
      left.kill('SIGKILL');
      gone.kill('SIGKILL');
    }
  });
});
