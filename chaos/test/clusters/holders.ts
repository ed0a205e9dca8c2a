import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember, Route, StoreCluster } from '@concordat/conformance/servers';
import { type Coordinator, createCoordinator } from 'concordat';
import { expect } from 'vitest';
import type { Seen } from './witness.js';

/** A coordinator on a route of its own that holds one lock. */
export interface Holder {
  readonly coordinator: Coordinator;
  readonly route: Route;
  readonly name: string;
  /** Where its entry lies. */
  readonly prefix: string;
  /** When its grant was over for its own process, on `performance.now()`; `null` while it is held. */
  lostAt(): number | null;
}

/** Options of the coordinators in a scenario. */
export interface HolderOptions {
  readonly scheme: string;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
}

/** A coordinator that knows one member alone, by a route of its own. */
export function coordinatorAt(
  route: Route,
  members: readonly ClusterMember[],
  { scheme, namespace, sessionTimeoutMs }: HolderOptions,
): Coordinator {
  const hosts = members.map((member) => route.hostOf(member)).map(({ host, port }) => `${host}:${String(port)}`);
  return createCoordinator(`${scheme}://${hosts.join(',')}/${namespace}`, {
    sessionTimeoutMs,
    allowShortSession: true,
  });
}

/** That many coordinators at one member, each holding a lock of its own; their heartbeats are spread over as many milliseconds. */
export async function holdersAt(
  cluster: StoreCluster,
  member: ClusterMember,
  count: number,
  spreadMs: number,
  options: HolderOptions,
): Promise<readonly Holder[]> {
  const holders = Array.from({ length: count }, async (_, index): Promise<Holder> => {
    await delay((index * spreadMs) / count);
    const name = `held-${String(index)}`;
    const route = await cluster.route();
    const coordinator = coordinatorAt(route, [member], options);
    const grant = await coordinator.lock(name).acquire({ timeoutMs: 20_000 });
    let lostAt: number | null = null;
    grant.signal.addEventListener('abort', () => {
      lostAt = performance.now();
    });
    return { coordinator, route, name, prefix: `lock/${name}/`, lostAt: () => lostAt };
  });
  return Promise.all(holders);
}

/** Each was told that its grant is over while the store still had its entry, as it was seen. */
export function expectToldInTime(holders: readonly Holder[], seen: ReadonlyMap<string, Seen>): void {
  for (const { name, prefix, lostAt } of holders) {
    const told = lostAt();
    expect(told, `${name} was told`).not.toBeNull();
    expect(told, `${name} was told while the store still had its entry`).toBeLessThan(seen.get(prefix)?.lastAt ?? 0);
  }
}

/** Ends all of them; their store may be out of reach. */
export async function closeAll(holders: readonly Holder[]): Promise<void> {
  await Promise.all(holders.map(({ coordinator }) => coordinator.close()));
}
