import type { Row } from '../report.js';
import { open, type Stage } from '../stage.js';

const waiters = 500;

/** Memory: of one waiter, and what a thousand cycles and a hundred coordinators leave behind. */
export async function measureFootprint(stage: Stage): Promise<readonly Row[]> {
  return [
    { what: `heap per waiter, ${waiters} in one session`, value: `${(await heapPerWaiter(stage)).toFixed(1)} kB` },
    { what: 'growth over 1,000 cycles', value: await growth(() => cycles(stage)) },
    { what: 'growth over 100 open/close', value: await growth(() => coordinators(stage)) },
  ];
}

async function heapPerWaiter(stage: Stage): Promise<number> {
  await using coordinator = await open(stage.url);
  const lock = coordinator.lock('heap');
  const grant = await lock.acquire();
  const before = heapKilobytes();
  const leave = new AbortController();
  const waiting = Array.from({ length: waiters }, () => lock.acquire({ signal: leave.signal }).catch(() => undefined));
  for (let seen = -1; seen !== coordinator.traffic.requests; ) {
    seen = coordinator.traffic.requests;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const each = (heapKilobytes() - before) / waiters;
  leave.abort();
  await Promise.all(waiting);
  await grant.release();
  return each;
}

async function cycles(stage: Stage): Promise<void> {
  await using coordinator = await open(stage.url);
  const lock = coordinator.lock('leak');
  for (let turn = 0; turn < 1_000; turn += 1) await (await lock.acquire()).release();
}

async function coordinators(stage: Stage): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await (await open(stage.url)).close();
}

// Once to warm up: caches and compiled code grow at first, and are no leak.
async function growth(work: () => Promise<void>): Promise<string> {
  await work();
  const [heap, resident] = [heapKilobytes(), residentKilobytes()];
  await work();
  return `heap ${(heapKilobytes() - heap).toFixed(0)} kB, RSS ${(residentKilobytes() - resident).toFixed(0)} kB`;
}

function heapKilobytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024;
}

function residentKilobytes(): number {
  return process.memoryUsage.rss() / 1024;
}
