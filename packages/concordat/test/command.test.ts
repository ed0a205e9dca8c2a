import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin, ConcordatProcess, concordat } from './concordat-process.js';

const lock = ['lock', 'a', '--url', 'memory:', '--'];
const node = (script: string): string[] => [process.execPath, '-e', script];

describe('concordat lock', () => {
  it.each([0, 1, 42])('exits %i when the command does', async (code) => {
    expect((await concordat([...lock, ...node(`process.exit(${code})`)])).code).toBe(code);
  });

  it('exits 128 + n when signal n ended the command', async () => {
    expect((await concordat([...lock, ...node("process.kill(process.pid, 'SIGTERM')")])).code).toBe(143);
  });

  it('tells the command the name, the token and the fence', async () => {
    const script =
      'const e = process.env; console.log(e.CONCORDAT_LOCK_NAME, e.CONCORDAT_LOCK_TOKEN, e.CONCORDAT_LOCK_FENCE)';
    const { stdout } = await concordat([...lock, ...node(script)]);
    const [name, token, fence] = stdout.trim().split(' ');
    expect(name).toBe('a');
    expect(token).toMatch(/^\d+$/);
    expect(fence).toBe(token?.padStart(39, '0'));
  });

  it('passes arguments on without a shell', async () => {
    const { stdout } = await concordat([
      ...lock,
      ...node('console.log(process.argv.slice(1).join("|"))'),
      '$HOME',
      'a b',
      '*',
    ]);
    expect(stdout).toBe('$HOME|a b|*\n');
  });

  it('says nothing when there is nothing to wait for', async () => {
    expect((await concordat([...lock, 'true'])).stderr).toBe('');
  });

  it('exits 127 for a command that is not there, 126 for one that cannot be executed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'concordat-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'plain.txt');
    writeFileSync(file, 'text');
    const missing = await concordat([...lock, join(folder, 'none')]);
    expect(missing.code).toBe(127);
    expect(missing.stderr).toMatch(/not found/);
    for (const refused of [file, '']) {
      const { code, stderr } = await concordat([...lock, refused]);
      expect(code).toBe(126);
      expect(stderr).toMatch(/cannot be executed/);
    }
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'passes %s on to the command and answers with its exit code',
    async (signal) => {
      const script = `process.on('${signal}', () => process.exit(7)); console.log('up'); setInterval(() => {}, 1000)`;
      const run = new ConcordatProcess([...lock, ...node(script)]);
      await run.shows('up');
      run.kill(signal);
      expect(await run.ended).toBe(7);
    },
  );

  it.each([
    [['lock', 'a', '--url', 'memory:', 'true'], {}, 64],
    [['lock', 'a', '--', 'true'], {}, 64],
    [['lock', 'a', '--', 'true'], { COORDINATOR_URL: 'memory:' }, 0],
    [['lock', 'a', '--url', 'redis://x', '--', 'true'], {}, 64],
    [['lock', '', '--url', 'memory:', '--', 'true'], {}, 64],
  ])('takes %j with %j to exit code %i', async (args, environment, code) => {
    const run = await concordat(args, environment);
    expect(run.code).toBe(code);
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });

  it('hands on no socket, even one that was opened without close-on-exec', async () => {
    // Node marks what it was given itself only up to number 16; pipes to its children are sockets.
    const stdio = Array.from({ length: 21 }, (_, descriptor) => (descriptor === 20 ? 'pipe' : 'ignore'));
    const command = ['sh', '-c', 'test ! -S /proc/$$/fd/20 && exit 7'];
    const run = spawn(process.execPath, [bin, ...lock, ...command], { stdio });
    expect(await once(run, 'exit')).toEqual([7, null]);
  });

  it('exits 69 when no store answers, and shows no password', async () => {
    const url = 'etcd://me:s3cret@127.0.0.1:1/n';
    const { code, stderr } = await concordat(['lock', 'a', '--url', url, '--timeout', '1s', '--', 'true']);
    expect(code).toBe(69);
    expect(stderr).toMatch(/^concordat: \[UNAVAILABLE\] the store could not be reached within 1,000 ms/);
    expect(stderr).not.toContain('s3cret');
  });

  it('prints help and its version', async () => {
    const help = await concordat(['--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('CONCORDAT_LOCK_TOKEN');
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await concordat(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});
