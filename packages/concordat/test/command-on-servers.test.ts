import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StoreNode, startEtcd, startZooKeeper } from '@concordat/conformance/servers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConcordatProcess, concordat } from './concordat-process.js';

const node = (script: string): string[] => [process.execPath, '-e', script];
const stays = node("console.log('token', process.env.CONCORDAT_LOCK_TOKEN); setInterval(() => {}, 1000)");
const ends = node("console.log('token', process.env.CONCORDAT_LOCK_TOKEN)");

/** A pipe that is full soon: nobody reads from it. */
function unreadPipe(): { readonly writeEnd: number; close(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'concordat-pipe-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const ends = [openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), openSync(path, constants.O_WRONLY)] as const;
  let isOpen = true;
  const close = (): void => {
    if (isOpen) for (const end of ends) closeSync(end);
    isOpen = false;
    rmSync(folder, { recursive: true, force: true });
  };
  return { writeEnd: ends[1], close };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.each([
  ['etcd', startEtcd],
  ['ZooKeeper', startZooKeeper],
])('concordat lock on %s', (_name, start) => {
  let store: StoreNode;
  let names = 0;
  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.stop());

  function lockArguments(): string[] {
    names += 1;
    return ['lock', `job ${names}`, '--url', `${store.url}/command?sessionTimeout=3s&allowShortSession=true`];
  }

  function tokenOf(run: { readonly stdout: string }): bigint {
    return BigInt(/^token (\d+)$/m.exec(run.stdout)?.[1] ?? 0);
  }

  it('lets two commands run one after the other, with rising tokens', async () => {
    const args = lockArguments();
    const first = new ConcordatProcess([...args, '--data', 'the first', '--', ...stays]);
    await first.shows('token');
    const second = new ConcordatProcess([...args, '--', ...ends]);
    await second.shows('place 2 of 2, held by the first');
    expect(second.stdout).toBe('');
    first.kill('SIGTERM');
    expect(await first.ended).toBe(143);
    expect(await second.ended).toBe(0);
    expect(tokenOf(second)).toBeGreaterThan(tokenOf(first));
  });

  it('exits 75 past --timeout and with --try, saying who holds, and leaves no entry behind', async () => {
    const args = lockArguments();
    const holder = new ConcordatProcess([...args, '--', ...stays]);
    await holder.shows('token');
    const late = await concordat([...args, '--timeout', '3s', '--quiet', '--', ...ends]);
    expect(late).toMatchObject({ code: 75, stdout: '' });
    expect(late.stderr).toMatch(/\[TIMEOUT\].*place 2 in line/);
    const taken = await concordat([...args, '--try', '--', ...ends]);
    expect(taken).toMatchObject({ code: 75, stdout: '' });
    expect(taken.stderr).toMatch(/taken/);
    const dir = `lock/${encodeURIComponent(args[1] ?? '')}`;
    expect(await store.operator.entries('command', dir)).toHaveLength(1);
  });

  it('leaves the line at once when it is interrupted while it waits', async () => {
    const args = lockArguments();
    const holder = new ConcordatProcess([...args, '--', ...stays]);
    await holder.shows('token');
    const waiter = new ConcordatProcess([...args, '--', ...ends]);
    await waiter.shows('place 2');
    waiter.kill('SIGINT');
    expect(await waiter.ended).toBe(130);
    expect(waiter.stdout).toBe('');
    const dir = `lock/${encodeURIComponent(args[1] ?? '')}`;
    expect(await store.operator.entries('command', dir)).toHaveLength(1);
  });

  it('lets the next one run when the holder is killed hard', async () => {
    const args = lockArguments();
    const holder = new ConcordatProcess([...args, '--', ...node("console.log('token'); setTimeout(() => {}, 200)")]);
    await holder.shows('token');
    holder.kill('SIGKILL');
    const next = new ConcordatProcess([...args, '--', ...ends]);
    expect(await next.ended).toBe(0);
  });

  it('ends the command and exits 76 when it was stopped past its session, and the next one ran meanwhile', async () => {
    const args = lockArguments();
    const script = "process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });";
    const holder = new ConcordatProcess([...args, '--', ...node(script + (stays[2] ?? ''))]);
    await holder.shows('token');
    holder.kill('SIGSTOP');
    const next = await concordat([...args, '--', ...ends]);
    expect(next.code).toBe(0);
    holder.kill('SIGCONT');
    expect(await holder.ended).toBe(76);
    expect(holder.stdout).toContain('asked to end');
    expect(holder.stderr).toContain('[GRANT_LOST]');
    expect(tokenOf(next)).toBeGreaterThan(tokenOf(holder));
  });

  it('kills a command that does not end within --kill-after once the lock is lost', async () => {
    const args = lockArguments();
    const deaf = node(
      "process.on('SIGTERM', () => console.log('deaf')); console.log('token'); setInterval(() => {}, 1000)",
    );
    const holder = new ConcordatProcess([...args, '--kill-after', '200ms', '--', ...deaf]);
    await holder.shows('token');
    const dir = `lock/${encodeURIComponent(args[1] ?? '')}`;
    const [entry] = await store.operator.entries('command', dir);
    await store.operator.deleteEntry('command', dir, entry ?? '');
    expect(await holder.ended).toBe(76);
    expect(holder.stdout).toContain('deaf');
  });

  it('ends the command when the lock is lost although nobody reads what either says', async () => {
    const args = lockArguments();
    // Not of Node, which makes the pipe such that writing to it does not wait.
    const talks = ['sh', '-c', 'echo pid $$; exec cat /dev/zero >&2'];
    const unread = unreadPipe();
    const holder = new ConcordatProcess([...args, '--', ...talks], {}, unread.writeEnd);
    onTestFinished(() => unread.close());
    await holder.shows(/pid \d+\n/);
    const pid = Number(/pid (\d+)/.exec(holder.stdout)?.[1]);
    const dir = `lock/${encodeURIComponent(args[1] ?? '')}`;
    const [entry] = await store.operator.entries('command', dir);
    await store.operator.deleteEntry('command', dir, entry ?? '');
    await expect.poll(() => isRunning(pid)).toBe(false);
    // Now nobody ever will.
    unread.close();
    expect(await holder.ended).toBe(76);
  });
});
