import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type StoreNode, startEtcd, startZooKeeper } from '@concordat/conformance/servers';
import { type Coordinator, type CoordinatorOptions, createCoordinator, readUrl } from 'concordat';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { layCable } from '../cable.js';
import { FencedLedger } from '../fenced-ledger.js';
import { LedgerDatabase } from './ledger-database.js';

const program = fileURLToPath(new URL('../dist/careless-writer.js', import.meta.url));
const shortSession = { sessionTimeoutMs: 3_000, allowShortSession: true };
const acquireLimit = { timeoutMs: 25_000 };
const timeout = 60_000;

describe('the fenced ledger', () => {
  let database: LedgerDatabase;
  let etcd: StoreNode;
  let zooKeeper: StoreNode;
  beforeAll(async () => {
    [database, etcd, zooKeeper] = await Promise.all([LedgerDatabase.start(), startEtcd(), startZooKeeper()]);
    await (await ledgerOfOne()).prepare();
  }, 120_000);
  afterAll(async () => {
    await Promise.all([database.stop(), etcd.stop(), zooKeeper.stop()]);
  });

  /** As one process sees it: over a connection of its own. */
  async function ledgerOfOne(): Promise<FencedLedger> {
    return new FencedLedger(await database.connect());
  }

  function open(url: string, options: CoordinatorOptions = {}): Coordinator {
    const coordinator = createCoordinator(url, { ...shortSession, ...options });
    onTestFinished(() => coordinator.close());
    return coordinator;
  }

  it('refuses a former leader that was cut off, on every store', { timeout }, async () => {
    const stories = ['memory:fenced', etcd.url, zooKeeper.url].map(async (url, index) => {
      const account = `account ${index}`;
      const cable = await layCable(readUrl(url));
      onTestFinished(() => cable.close());
      const [former, next] = await Promise.all([ledgerOfOne(), ledgerOfOne()]);
      const old = await open(url, cable.options).lock(account).acquire(acquireLimit);
      expect(await former.append(account, 1, old.fence)).toBe(true);
      expect(await former.append(account, 2, old.fence)).toBe(true);
      cable.fallSilent();
      const young = await open(url).lock(account).acquire(acquireLimit);
      // Until the next one has written, nobody can tell that there is one.
      expect(await former.append(account, 3, old.fence)).toBe(true);
      expect(await next.append(account, 10, young.fence)).toBe(true);
      cable.comeBack();
      expect(await former.append(account, 4, old.fence)).toBe(false);
      expect(() => old.assertHeld()).toThrow(/GRANT_LOST/);
      expect(await next.append(account, 11, young.fence)).toBe(true);
      expect(await next.amounts(account)).toEqual([1, 2, 3, 10, 11]);
    });
    await Promise.all(stories);
  });

  it('refuses a leader whose process was stopped while another one was elected', { timeout }, async () => {
    const account = 'stopped';
    const url = `${etcd.url}/fenced?sessionTimeout=3s&allowShortSession=true`;
    const leader = spawn(process.execPath, [program, account], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, COORDINATOR_URL: url, DATABASE_URL: database.url },
    });
    const shown = outputOf(leader);
    const ended = once(leader, 'exit');
    onTestFinished(async () => {
      leader.kill('SIGKILL');
      await ended;
    });
    await vi.waitFor(() => expect(shown()).toContain('accepted 3\n'), 20_000);
    leader.kill('SIGSTOP');
    const ledger = await ledgerOfOne();
    const coordinator = createCoordinator(url);
    onTestFinished(() => coordinator.close());
    const { fence } = await coordinator.lock(account).acquire(acquireLimit);
    expect(await ledger.append(account, 1_000, fence)).toBe(true);
    const before = await ledger.amounts(account);
    leader.kill('SIGCONT');
    expect((await ended)[0]).toBe(0);
    expect(shown()).toMatch(/accepted \d+\nrefused \d+\n$/);
    expect(await ledger.amounts(account)).toEqual(before);
  });

  it('keeps the order of fences among many writers at once', { timeout }, async () => {
    const ledgers = await Promise.all(Array.from({ length: 4 }, ledgerOfOne));
    const fences = Array.from({ length: 60 }, (_, index) => (index * 37) % 60);
    const written: boolean[] = [];
    const writers = ledgers.map(async (ledger, writer) => {
      for (let index = writer; index < fences.length; index += ledgers.length) {
        const fence = fences[index] ?? 0;
        written[index] = await ledger.append('many', fence, String(fence).padStart(39, '0'));
      }
    });
    await Promise.all(writers);
    const amounts = await ledgers[0]?.amounts('many');
    expect(amounts).toEqual(fences.filter((_, index) => written[index]).sort((one, other) => one - other));
    expect(amounts?.at(-1)).toBe(59);
  });
});

function outputOf({ stdout }: ChildProcess): () => string {
  let output = '';
  stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return () => output;
}
