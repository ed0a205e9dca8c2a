import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Adjustment, InvoiceWorker, Ledger } from '../invoice-worker.js';
import { liveStores } from './live-stores.js';

const batches = ['10:00', '10:10', '10:20', '10:30', '10:40', '10:50'];
const open: readonly Adjustment[] = [
  { invoice: 'A', cents: 120 },
  { invoice: 'B', cents: -75 },
  { invoice: 'C', cents: 310 },
];
const everything = batches.flatMap((batch) => open.map(({ invoice }) => `${batch}/${invoice}`));

function dueLedger(): Ledger {
  const ledger = new Ledger();
  for (const batch of batches) ledger.due(batch, open);
  return ledger;
}

function keys(ledger: Ledger): readonly string[] {
  return ledger.lines.map((line) => line.split(' ')[0] ?? '');
}

describe('invoice workers', () => {
  const stores = liveStores();

  it('reconcile each batch once, taking turns, though the one who leads dies in the middle', {
    timeout: 60_000,
  }, async () => {
    await Promise.all(['memory:invoices', ...stores].map(reconcileWithADeath));
  });

  it('are refused by the ledger when their term is over', () => {
    const ledger = dueLedger();
    const [first = { invoice: '', cents: 0 }, second = first] = open;
    const [earlier, later] = ['1', '2'].map((token) => token.padStart(39, '0')) as [string, string];
    expect(ledger.adjust('10:00', first, 'Ada', earlier)).toBe(true);
    expect(ledger.adjust('10:00', first, 'Ben', later)).toBe(false);
    expect(() => ledger.adjust('10:00', second, 'Ada', earlier)).toThrow('a leader of before');
    expect(() => ledger.close('10:00', 'Ada', earlier)).toThrow('a leader of before');
    expect(ledger.lines).toEqual(['10:00/A by Ada']);
  });
});

async function reconcileWithADeath(url: string): Promise<void> {
  const ledger = dueLedger();
  const stop = new AbortController();
  let calls = 0;
  let died = '';
  const workers = ['Ada', 'Ben', 'Cleo'].map((name) => new InvoiceWorker(name, url, ledger, reachBank));
  async function reachBank(): Promise<void> {
    await setImmediate();
    calls += 1;
    if (calls !== 5) return;
    died = writerOf(ledger.lines.at(-1));
    await workers.find(({ name }) => name === died)?.close();
  }
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
  });
  const running = workers.map((worker) => worker.run(stop.signal));
  await expect.poll(() => ledger.nextBatch).toBeUndefined();
  stop.abort();
  await Promise.all(running);
  expect(keys(ledger)).toEqual(everything);
  // The second batch was begun by the one who died, and repeated without what was written.
  const writers = ledger.lines.map(writerOf);
  expect(writers[3]).toBe(died);
  expect(new Set(writers.slice(4))).toEqual(new Set(workers.map(({ name }) => name).filter((name) => name !== died)));
}

function writerOf(line = ''): string {
  return line.split(' by ')[1] ?? '';
}
