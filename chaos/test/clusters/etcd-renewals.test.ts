import { type StoreCluster, startEtcdCluster } from '@concordat/conformance/servers';
import { beforeAll, describe, expect, it } from 'vitest';
import { closeAll, expectToldInTime, holdersAt } from './holders.js';
import { watchUntilGone } from './witness.js';

const options = { scheme: 'etcd', namespace: 'renewals', sessionTimeoutMs: 12_000 };
const settings = { 'heartbeat-interval': '50', 'election-timeout': '500' };
const holdersCount = 16;
// A renewal is waited for three seconds: the last ones before the thaw are still in flight.
const frozenMs = 2_700;
// From before renewals are answered until after the old leader has heard of the new one.
const cutsEveryMs = 20;
const heardAfterMs = 300;

describe('etcd: the leader is frozen and thawed with renewals in flight, and the holders are cut off right after', () => {
  let cluster: StoreCluster;

  beforeAll(async () => {
    cluster = await startEtcdCluster({ settings });
    return () => cluster.stop();
  });

  // While the old leader has not heard of the new one, it renews leases by itself.
  it.each<readonly [when: string, isLate: boolean]>([
    ['hears of the new one at once', false],
    ['renews for a while before it hears of the new one', true],
  ])(
    'every holder gives up before the store lets the next one in, where the old leader %s',
    { timeout: 90_000 },
    async (_when, isLate) => {
      const leader = await cluster.leader();
      const peers = await cluster.followers();
      const holders = await holdersAt(cluster, leader, holdersCount, options.sessionTimeoutMs / 6, options);
      try {
        const frozenAt = performance.now();
        if (isLate) cluster.separate([leader], peers);
        await leader.freeze();
        const next = await cluster.leader({ except: leader });
        await expect
          .poll(() => performance.now() - frozenAt, { timeout: 10_000, interval: 5 })
          .toBeGreaterThan(frozenMs);
        leader.thaw();
        setTimeout(() => cluster.reunite([leader], peers), heardAfterMs);
        holders.forEach(({ route }, index) => {
          setTimeout(() => route.cut(), index * cutsEveryMs);
        });
        const prefixes = holders.map(({ prefix }) => prefix);
        const seen = await watchUntilGone(async () => next.operator, options.namespace, prefixes);
        expectToldInTime(holders, seen);
      } finally {
        cluster.heal();
        await closeAll(holders);
      }
    },
  );
});
