import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Route, type StoreCluster, startEtcdCluster, startZooKeeperCluster } from '@concordat/conformance/servers';
import { Journal, readJournals } from '../journal.js';
import type { ClientOptions } from '../messages.js';
import { clientFaults } from '../nemesis/client-faults.js';
import { torment } from '../nemesis/nemesis.js';
import { storeFaults } from '../nemesis/store-faults.js';
import { Random } from '../random.js';
import type { Line } from '../records.js';
import { Client } from './client.js';
import { GuardedResource } from './guarded-resource.js';
import { makeWhole } from './make-whole.js';
import type { RunOptions } from './options.js';
import { Reaper } from './reaper.js';
import { watchLeader } from './watch-leader.js';

const warmUpMs = 3_000;
const settleLimitMs = 60_000;
const endLimitMs = 15_000;

/** What a run left behind. */
export interface RunResult {
  readonly directory: string;
  readonly lines: readonly Line[];
}

/** Clients at work on a cluster, while it and they are broken by seed; then everything is mended, and all come to rest. */
export async function run(options: RunOptions, say: (what: string) => void): Promise<RunResult> {
  const { backend, seed, sessionTimeoutMs } = options;
  const directory = options.out ?? mkdtempSync(join(tmpdir(), 'concordat-chaos-'));
  mkdirSync(directory, { recursive: true });
  const journal = new Journal(directory, 'run');
  say(`starting three ${backend} servers`);
  const cluster = await (backend === 'etcd' ? startEtcdCluster() : startZooKeeperCluster());
  const stopWatching = watchLeader(cluster, journal);
  const clients: Client[] = [];
  const reaper = new Reaper();
  try {
    journal.write({ kind: 'server', version: await cluster.version() });
    const resource = new GuardedResource(journal);
    for (let count = 0; count < options.clients; count += 1) {
      const route = await cluster.route();
      clients.push(new Client(route, optionsOf(route, directory, options), journal, resource, reaper));
    }
    for (const client of clients) client.start();
    await delay(warmUpMs);
    say(`breaking things for ${String(options.minutes)} min, seed ${String(seed)}`);
    await breakThings(cluster, clients, resource, journal, options, say);
    say('all is mended; waiting for everybody to come to rest');
    journal.write({ kind: 'phase', phase: 'healed' });
    await delay(2 * sessionTimeoutMs + 3_000);
    journal.write({ kind: 'phase', phase: 'settled' });
    for (const client of clients) client.settle();
    await waitFor(() => clients.every(({ isSettled }) => isSettled), settleLimitMs);
    journal.write({ kind: 'phase', phase: 'done' });
    for (const client of clients) client.end();
    await waitFor(() => clients.every(({ isRunning }) => !isRunning), endLimitMs);
  } finally {
    await Promise.all(clients.map((client) => client.kill()));
    await stopWatching();
    await cluster.stop();
    reaper.close();
    journal.close();
  }
  return { directory, lines: readJournals(directory) };
}

function optionsOf(
  route: Route,
  directory: string,
  { backend, sessionTimeoutMs, seed }: RunOptions,
): Omit<ClientOptions, 'name'> {
  const hosts = route.options.hosts.map(({ host, port }) => `${host}:${String(port)}`).join(',');
  return { directory, url: `${backend}://${hosts}/chaos`, sessionTimeoutMs, seed };
}

async function breakThings(
  cluster: StoreCluster,
  clients: readonly Client[],
  resource: GuardedResource,
  journal: Journal,
  options: RunOptions,
  say: (what: string) => void,
): Promise<void> {
  const { seed, minutes, sessionTimeoutMs } = options;
  const stop = new AbortController();
  journal.write({ kind: 'phase', phase: 'faults' });
  const timer = setTimeout(() => stop.abort(), minutes * 60_000);
  const storeRandom = new Random(seed, 'store');
  const clientRandom = new Random(seed, 'clients');
  const storePace = { broken: [1_000, 1.5 * sessionTimeoutMs], whole: [2_000, 1.5 * sessionTimeoutMs] } as const;
  const clientPace = { broken: [200, 2 * sessionTimeoutMs], whole: [500, sessionTimeoutMs] } as const;
  await Promise.all([
    torment(storeFaults(cluster, clients, storeRandom), storePace, storeRandom, journal, stop.signal, () =>
      makeWhole(cluster, journal, say),
    ),
    torment(
      clientFaults(cluster, clients, clientRandom, () => resource.lastWriter('election/leader')),
      clientPace,
      clientRandom,
      journal,
      stop.signal,
      () => Promise.resolve(),
    ),
  ]);
  clearTimeout(timer);
  cluster.heal();
}

/** Whoever is not there in time is missing in the journal, which the checkers tell. */
async function waitFor(isThere: () => boolean, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (!isThere() && performance.now() < end) await delay(50);
}
