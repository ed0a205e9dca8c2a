import { tmpdir } from 'node:os';
import { type StoreNode, startEtcd, startZooKeeper } from '@concordat/conformance/servers';
import { type Coordinator, type CoordinatorOptions, createCoordinator } from 'concordat';
import type { Raw } from './raw.js';
import { rawEtcd } from './raw-etcd.js';
import { rawWire } from './raw-wire.js';

/** One backend on a server of its own, and the bare client beside it where there is one. */
export interface Stage {
  readonly url: string;
  readonly raw: Raw | null;
  /** Its server; `null` in memory. */
  readonly node: StoreNode | null;
  /** Medians a free lock cycle and a hand-over may cost, as multiples of the raw pair and of one raw write. */
  readonly bars: { readonly cycle: number; readonly handOver: number } | null;
  stop(): Promise<void>;
}

export const backends = ['memory', 'etcd', 'zookeeper'] as const;
export type BackendName = (typeof backends)[number];

export async function setStage(backend: BackendName): Promise<Stage> {
  if (backend === 'memory')
    return { url: 'memory:bench', raw: null, node: null, bars: null, stop: () => Promise.resolve() };
  // On a disk, as in production: in memory a write costs hardly more than a read, and every ratio is another one.
  process.env['CONCORDAT_SERVER_DIRECTORY'] ??= tmpdir();
  const server = await (backend === 'etcd' ? startEtcd() : startZooKeeper());
  const [host] = server.hosts;
  if (host === undefined) throw new Error('the server has no address');
  const raw = await (backend === 'etcd' ? rawEtcd(host) : rawWire(host));
  return {
    url: server.url,
    raw,
    node: server,
    bars: backend === 'etcd' ? { cycle: 1.25, handOver: 3 } : { cycle: 1.5, handOver: 2 },
    stop: async () => {
      await raw.close();
      await server.stop();
    },
  };
}

/** A connected coordinator. */
export async function open(url: string, options: CoordinatorOptions = {}): Promise<Coordinator> {
  const coordinator = createCoordinator(url, options);
  await coordinator.ready({ timeoutMs: 20_000 });
  return coordinator;
}
