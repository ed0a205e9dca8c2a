import { type StoreCluster, startZooKeeperCluster } from '@concordat/conformance/servers';
import { beforeAll, describe, it } from 'vitest';
import { closeAll, expectToldInTime, holdersAt } from './holders.js';
import { watchUntilGone } from './witness.js';

const options = { scheme: 'zookeeper', namespace: 'follower', sessionTimeoutMs: 4_000 };
const holdersCount = 8;
// In ticks of half a second: it goes on answering for ten seconds after it was cut off.
const settings = { syncLimit: '20' };

describe("zookeeper: the holder's follower is cut off from its leader alone", () => {
  let cluster: StoreCluster;

  beforeAll(async () => {
    cluster = await startZooKeeperCluster({ settings });
    return () => cluster.stop();
  });

  it('every holder gives up before the store lets the next one in', { timeout: 90_000 }, async () => {
    const leader = await cluster.leader();
    const [follower] = await cluster.followers();
    if (follower === undefined) throw new Error('no follower');
    const holders = await holdersAt(cluster, follower, holdersCount, 1_000, options);
    try {
      cluster.separate([follower], [leader]);
      const prefixes = holders.map(({ prefix }) => prefix);
      const seen = await watchUntilGone(async () => leader.operator, options.namespace, prefixes);
      expectToldInTime(holders, seen);
    } finally {
      cluster.heal();
      await closeAll(holders);
    }
  });
});
