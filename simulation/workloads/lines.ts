import type { Lock, WaitingLine } from '@concordat/core';
import type { GuardedLine, Holding } from '../checks/holding.js';
import { Watcher } from '../checks/watcher.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { giveBack, granted, work } from './critical-section.js';
import { holdOn } from './hold.js';
import { limits, type Workload } from './workload.js';

/** Something to acquire in a line: which one, and how a client comes to it. */
interface Acquirable {
  readonly line: GuardedLine;
  open(client: Client): Lock;
}

/** Locks: one name or two, so that there is contention. */
export function locks(world: World, random: Random): Workload {
  const names = ['a', 'b'].slice(0, random.whole(1, 2));
  return lineWorkload(
    world,
    'lock',
    names.map((name) => ({
      line: { dir: `lock/${name}`, permits: 1, excludes: () => true },
      open: (client) => client.coordinator.lock(name),
    })),
  );
}

/** Readers and writers of one name. */
export function readWriteLocks(world: World): Workload {
  const line: GuardedLine = {
    dir: 'rw/r',
    permits: 1,
    excludes: (one, other) => one === 'write' || other === 'write',
  };
  return lineWorkload(world, 'read-write lock', [
    { line, open: (client) => client.coordinator.readWriteLock('r').read },
    { line, open: (client) => client.coordinator.readWriteLock('r').write },
  ]);
}

/** A semaphore of two or three permits, and a crowd: who tells whom matters only where several wait behind each other. */
export function semaphores(world: World, random: Random): Workload {
  const permits = random.whole(2, 3);
  const line: GuardedLine = { dir: 'sem/s', permits, excludes: () => true };
  const one = { line, open: (client: Client) => client.coordinator.semaphore('s', permits) };
  const workload = lineWorkload(world, 'semaphore', [one]);
  return {
    ...workload,
    step: async (client, steps) => {
      const several = Array.from({ length: steps.whole(1, 3) }, () => workload.step(client, steps));
      return (await Promise.all(several)).includes(true);
    },
  };
}

function lineWorkload(world: World, name: string, all: readonly Acquirable[]): Workload {
  for (const { line } of all) world.truth.follow(line.dir, 'line');
  for (const { line } of all) world.turns.follow(line);
  const watchers: Watcher<WaitingLine>[] = [];
  return {
    name,
    start: (client, random) => watchers.push(watchLine(client, random.pick(all))),
    step: (client, random) => acquire(client, random, random.pick(all)),
    settled: () => {
      for (const { line } of all) requireEmpty(world, line.dir);
      for (const watcher of watchers) watcher.settled();
    },
  };
}

// In order of their true tokens; who once left the front does not come back to it; in the end empty, as the line is.
function watchLine(client: Client, { line, open }: Acquirable): Watcher<WaitingLine> {
  let first = 0n;
  return new Watcher(client, `contenders$ of ${line.dir}`, open(client).contenders$, {
    isWhole: ({ contenders }) => {
      const { truth, climate } = client.world;
      const isSorted = contenders.every(
        ({ token }, index) => index === 0 || (contenders[index - 1]?.token ?? 0n) < token,
      );
      const isTrue = contenders.every(({ token }) => truth.created(line.dir, token - climate.tokenBase) !== null);
      const [front] = contenders;
      const rises = front === undefined || front.token >= first;
      first = front?.token ?? first;
      return isSorted && isTrue && rises;
    },
    isLast: ({ contenders, stale }) => !stale && contenders.length === 0,
  });
}

/** When everybody has given back what he had, nobody stands in a line. */
export function requireEmpty({ truth, findings }: World, dir: string): void {
  const left = truth.present(dir).map(({ name }) => name);
  if (left.length > 0) findings.report('ghost-entry', `${dir}: ${left.join(', ')}`);
}

async function acquire(client: Client, random: Random, { line, open }: Acquirable): Promise<boolean> {
  const lock = open(client);
  const way = random.pick(['acquire', 'acquire', 'try', 'with', 'hold']);
  if (way === 'try') return tryOnce(client, random, line, lock);
  if (way === 'with') return runWith(client, random, line, lock);
  const options = limits(client, random);
  if (way === 'hold') return holdOn(client, random, line, lock, options);
  const acquiring = lock.acquire({ ...options, data: client.name });
  const waited = options.timeoutMs === undefined ? acquiring : client.bounded('acquire', options.timeoutMs, acquiring);
  const { clock } = client.process;
  const startedAt = clock.now();
  const outcome = await client.attempt(`acquire ${line.dir}`, ['TIMEOUT'], waited, options.signal);
  if ('code' in outcome && outcome.code === 'TIMEOUT' && clock.now() - startedAt < (options.timeoutMs ?? Infinity))
    client.report('gave-up-too-early', `acquire ${line.dir} after ${(clock.now() - startedAt).toFixed(0)} ms`);
  if (!('value' in outcome)) return false;
  const holding = granted(client, random, line, outcome.value);
  await work(client, random, holding);
  await giveBack(client, random, holding);
  return true;
}

async function tryOnce(client: Client, random: Random, line: GuardedLine, lock: Lock): Promise<boolean> {
  const since = client.world.scheduler.now;
  const trying = client.bounded('try', client.requestTimeoutMs, lock.tryAcquire({ data: client.name }));
  const outcome = await client.attempt(`try ${line.dir}`, ['UNAVAILABLE'], trying);
  if (!('value' in outcome)) return false;
  if (outcome.value === undefined) {
    if (client.world.truth.since(line.dir, since).length === 0)
      client.report('refused-by-mistake', `${line.dir} was empty all the time`);
    return true;
  }
  const holding = granted(client, random, line, outcome.value);
  await work(client, random, holding);
  await giveBack(client, random, holding);
  return true;
}

async function runWith(client: Client, random: Random, line: GuardedLine, lock: Lock): Promise<boolean> {
  let holding: Holding | null = null;
  const options = limits(client, random);
  const running = lock.with(
    async (grant) => {
      holding = granted(client, random, line, grant);
      await work(client, random, holding);
      client.world.grants.released(holding);
    },
    { ...options, data: client.name },
  );
  const outcome = await client.attempt(`with ${line.dir}`, ['TIMEOUT', 'GRANT_LOST'], running, options.signal);
  return 'value' in outcome;
}
