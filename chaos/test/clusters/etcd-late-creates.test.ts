import { startEtcdCluster } from '@concordat/conformance/servers';
import { CoordinationError } from 'concordat';
import { describe, expect, it } from 'vitest';
import { coordinatorAt } from './holders.js';

const options = { scheme: 'etcd', namespace: 'late', sessionTimeoutMs: 12_000 };
const names = Array.from({ length: 20 }, (_, index) => `late-${String(index)}`);
const goOnMs = 1_500;

describe('etcd: a member is frozen with creates in flight, which are given up elsewhere, and thawed', () => {
  it('leaves no entry behind', { timeout: 60_000 }, async () => {
    const cluster = await startEtcdCluster();
    const [member] = await cluster.followers();
    if (member === undefined) throw new Error('no follower');
    const others = cluster.members.filter((other) => other !== member);
    const route = await cluster.route();
    // So that it begins at the one that will be frozen.
    cluster.separate([route], others);
    const coordinator = coordinatorAt(route, cluster.members, options);
    try {
      await coordinator.ready({ timeoutMs: 20_000 });
      await coordinator.lock('warm').with(() => undefined);
      cluster.heal();
      await member.freeze();
      const given = await Promise.all(
        names.map((name) =>
          coordinator
            .lock(name)
            .acquire({ timeoutMs: 1_000 })
            .catch((error: unknown) => error),
        ),
      );
      for (const error of given) expect(CoordinationError.is(error) && error.code).toBe('TIMEOUT');
      const operator = await cluster.operator();
      const below = async (directory: string): Promise<readonly string[]> =>
        (await operator.keys(options.namespace)).filter((key) => key.startsWith(directory));
      await expect.poll(() => below('void/'), { timeout: 15_000 }).toHaveLength(names.length);
      member.thaw();
      await member.serves();
      const end = performance.now() + goOnMs;
      while (performance.now() < end) expect(await below('lock/late-')).toEqual([]);
      for (const name of names) expect(await coordinator.lock(name).tryAcquire()).toBeDefined();
    } finally {
      await coordinator.close();
      await cluster.stop();
    }
  });
});
