import type { Host } from '@concordat/core/spi';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { outcome, within } from '../../src/eventually.js';
import type { Operator } from '../../src/harness.js';
import type { ClusterMember, Route, StoreCluster } from '../../src/servers/index.js';
import type { StoreKind } from '../../src/servers/store-kind.js';

export const namespace = 'faults';
const value = Buffer.from('1');
const slowlyMs = 25_000;
// Without a fault an answer takes a hundredth of it.
const answerLimitMs = 1_000;

/** Opens whatever a store needs before it takes a write of this key, and answers what sends the write. */
export type OpenWrite = (host: Host, key: string) => Promise<() => Promise<void>>;

/** What a cluster of any store has to do; each behaviour leaves it whole. */
export function clusterFaults(kind: StoreKind, start: () => Promise<StoreCluster>, opened: OpenWrite): void {
  describe(`three ${kind.name} servers`, () => {
    let cluster: StoreCluster;
    let route: Route;

    beforeAll(async () => {
      cluster = await start();
      route = await cluster.route();
      return () => cluster.stop();
    });

    afterEach(async () => {
      cluster.heal();
      for (const member of cluster.members) await member.serves();
      await cluster.serves();
    });

    const others = (member: ClusterMember) => cluster.members.filter((other) => other !== member);
    const by = (member: ClusterMember): Operator => kind.operator(route.hostOf(member));
    const writes = (operator: Operator, key: string): Promise<true> =>
      operator.write(namespace, key, value).then(() => true as const);
    const attempt = (operator: Operator, key: string): Promise<boolean> =>
      within(answerLimitMs, key, writes(operator, key)).catch(() => false);

    it('have one leader and two that follow it', async () => {
      const leader = await cluster.leader();
      expect(await cluster.followers()).toEqual(others(leader));
      expect(await writes(leader.operator, 'at-leader')).toBe(true);
      for (const follower of others(leader)) expect(await follower.operator.keys(namespace)).toEqual(['at-leader']);
    });

    it('say which version they are', async () => {
      expect(await cluster.version()).toMatch(/^\d+\.\d+\.\d+$/);
    });

    it('elect another when the leader freezes, and take it back when it is thawed', async () => {
      const leader = await cluster.leader();
      await leader.freeze();
      try {
        expect(await cluster.leader({ except: leader })).not.toBe(leader);
        await cluster.serves();
      } finally {
        leader.thaw();
      }
      await leader.serves();
      expect(await leader.operator.keys(namespace)).toContain('at-leader');
    });

    it('elect another when the leader is cut off from its peers, which then answers nobody', async () => {
      const leader = await cluster.leader();
      cluster.isolate(leader, 'peers');
      const next = await cluster.leader({ except: leader });
      expect(await writes(next.operator, 'without-old-leader')).toBe(true);
      expect(await attempt(leader.operator, 'cut-off')).toBe(false);
    });

    it('keep a leader that no client reaches', async () => {
      const leader = await cluster.leader();
      cluster.isolate(leader, 'clients');
      expect(await attempt(by(leader), 'unreachable')).toBe(false);
      for (const follower of others(leader)) expect(await writes(by(follower), 'reachable')).toBe(true);
      expect(await cluster.leader()).toBe(leader);
    });

    it('give a follower up that no longer hears its leader, though the leader hears it', async () => {
      const leader = await cluster.leader();
      const [follower, third] = others(leader);
      if (follower === undefined || third === undefined) throw new Error('three members are needed');
      cluster.silence(leader, follower);
      cluster.silence(third, follower);
      await expect.poll(() => attempt(follower.operator, 'deaf')).toBe(false);
      await cluster.serves();
    });

    it('leave a client with the minority that it was on', async () => {
      const [member] = await cluster.followers();
      if (member === undefined) throw new Error('no follower');
      const stop = await kind.operator(route.hostOf(member)).writeSteadily();
      try {
        await expect.poll(() => route.inUse).toEqual([member]);
        expect(cluster.isolateWith(route)).toEqual([member]);
        expect(await attempt(by(member), 'minority')).toBe(false);
        expect(await attempt(by(await cluster.leader({ except: member })), 'out-of-reach')).toBe(false);
      } finally {
        cluster.heal();
        await stop();
      }
    });

    it('are reached by one client when the way of another is cut', async () => {
      const leader = await cluster.leader();
      const [one, other] = await Promise.all([cluster.route(), cluster.route()]);
      one.cut();
      expect(await attempt(kind.operator(one.hostOf(leader)), 'one')).toBe(false);
      expect(await writes(kind.operator(other.hostOf(leader)), 'other')).toBe(true);
      await Promise.all([one.close(), other.close()]);
    });

    it('answer late on a slow way', async () => {
      const leader = await cluster.leader();
      const slow = await cluster.route();
      slow.delay(30);
      const began = performance.now();
      await kind.operator(slow.hostOf(leader)).write(namespace, 'slowly', value);
      expect(performance.now() - began).toBeGreaterThanOrEqual(60);
      await slow.close();
    });

    it('take what a client asks for whose replies are lost', async () => {
      const route = await cluster.route();
      const ask = await opened(route.hostOf(await cluster.leader()), 'unanswered');
      route.loseReplies();
      const answered = outcome(ask());
      await expect.poll(async () => (await cluster.operator()).keys(namespace)).toContain('unanswered');
      // Others may see the write before its answer is on the way.
      await expect.poll(() => route.lost).toBe(true);
      route.heal();
      expect((await answered).rejected).toBe(true);
      await route.close();
    });

    it('go on while one after the other is restarted', { timeout: slowlyMs }, async () => {
      await writes(await cluster.operator(), 'kept');
      await cluster.rollingRestart();
      for (const { operator } of cluster.members) expect(await operator.keys(namespace)).toContain('kept');
    });

    it('let one join again that lost its data', { timeout: slowlyMs }, async () => {
      await writes(await cluster.operator(), 'copied');
      const [member] = await cluster.followers();
      await member?.wipe();
      await member?.serves();
      expect(await member?.operator.keys(namespace)).toContain('copied');
    });
  });
}
