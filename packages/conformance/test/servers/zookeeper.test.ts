import { beforeAll, describe, expect, it } from 'vitest';
import type { Link } from '../../src/harness.js';
import { type StoreNode, startZooKeeper } from '../../src/servers/index.js';
import { until } from '../../src/servers/until.js';
import { ZooKeeperClient } from '../../src/servers/zookeeper-client.js';
import { addressOf } from './address.js';

const text = (value: string) => Buffer.from(value);
const settled = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    () => 'failed',
  );

describe('one ZooKeeper', () => {
  let node: StoreNode;

  beforeAll(async () => {
    node = await startZooKeeper();
    return () => node.stop();
  });

  const openOver = (link: Link) => ZooKeeperClient.open(addressOf(link));
  const linked = async (use: (link: Link) => Promise<void>): Promise<void> => {
    const link = await node.link();
    try {
      await use(link);
    } finally {
      await link.close();
    }
  };

  it('shows an operator keys and entries, oldest first', async () => {
    for (const name of ['b', 'a', 'c']) await node.operator.write('look', `lock/x/${name}`, text(name));
    await node.operator.write('look', 'format', text('1'));
    expect(await node.operator.keys('look')).toEqual(['format', 'lock', 'lock/x', 'lock/x/a', 'lock/x/b', 'lock/x/c']);
    expect(await node.operator.entries('look', 'lock/x')).toEqual(['b', 'a', 'c']);
    expect(await node.operator.entries('look', 'lock/none')).toEqual([]);
    expect(await node.operator.keys('nowhere')).toEqual([]);
    await node.operator.deleteEntry('look', 'lock/x', 'b');
    expect(await node.operator.entries('look', 'lock/x')).toEqual(['a', 'c']);
  });

  it('ends a session that it knows by its id alone', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      await node.operator.write('expire', 'lock/x', Buffer.alloc(0));
      await client.create('/expire/lock/x/e', text('mine'), { ephemeral: true });
      expect(await node.operator.entries('expire', 'lock/x')).toEqual(['e']);
      await node.operator.expireSession(client.sessionId.toString(16));
      expect(await node.operator.entries('expire', 'lock/x')).toEqual([]);
      expect(await settled(client.getData('/'))).toBe('failed');
    });
  });

  it('counts requests, writes and notifications at the wire, and leaves out what keeps a session alive', async () => {
    await node.operator.write('count', 'session/1', text('1'));
    await node.operator.write('count', 'watched', text('1'));
    await linked(async (link) => {
      const client = await openOver(link);
      await client.setData('/count/session/1', text('2'));
      expect(link.wire).toEqual({ requests: 0, writes: 0, notifications: 0 });
      await client.getData('/count/watched', { watch: true });
      await client.setData('/count/other', text('1')).catch(() => undefined);
      expect(link.wire).toEqual({ requests: 2, writes: 1, notifications: 0 });
      await node.operator.write('count', 'watched', text('2'));
      await until('the notification', 2_000, async () => (link.wire.notifications === 1 ? true : undefined));
      await client.close();
      expect(link.wire).toEqual({ requests: 2, writes: 1, notifications: 1 });
    });
  });

  it('cuts, refuses and heals', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      link.cut();
      expect(await settled(client.getData('/'))).toBe('failed');
      expect(await settled(openOver(link))).toBe('failed');
      link.heal();
      const next = await openOver(link);
      link.flap();
      expect(await settled(next.getData('/'))).toBe('failed');
      await (await openOver(link)).close();
    });
  });

  it('swallows everything in a black hole, old and new connections, until it heals', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      link.blackhole();
      const outcome = settled(client.setData('/hole', text('1')));
      const handshake = settled(openOver(link));
      expect(await Promise.race([outcome, handshake, node.operator.keys('').then(() => 'silent')])).toBe('silent');
      link.heal();
      expect(await outcome).toBe('failed');
      expect(await handshake).toBe('failed');
      await (await openOver(link)).close();
    });
  });

  it('lets an idle connection live through a black hole that swallowed nothing', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      link.blackhole();
      link.heal();
      await client.close();
    });
  });

  it('applies a request whose reply is swallowed', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      link.swallowReplies();
      const outcome = settled(client.create('/swallowed', text('1')));
      await until('the node is there', 2_000, async () =>
        (await node.operator.keys('')).find((key) => key === 'swallowed'),
      );
      link.heal();
      expect(await outcome).toBe('failed');
    });
  });

  it('delivers a held request late, or goes on with it when the link heals', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      link.holdRequests();
      const late = settled(client.create('/late', text('1')));
      expect(await node.operator.keys('')).not.toContain('late');
      await link.deliverHeld();
      expect(await late).toBe('failed');
      expect(await node.operator.keys('')).toContain('late');

      const next = await openOver(link);
      link.holdRequests();
      const delayed = settled(next.create('/delayed', text('1')));
      expect(await node.operator.keys('')).not.toContain('delayed');
      link.heal();
      expect(await delayed).toBe('answered');
    });
  });

  it('freezes and thaws with connections standing', async () => {
    await linked(async (link) => {
      const client = await openOver(link);
      await node.control.freeze();
      const outcome = settled(client.getData('/'));
      const pause = new Promise((resolve) => setTimeout(() => resolve('frozen'), 300));
      expect(await Promise.race([outcome, pause])).toBe('frozen');
      await node.control.thaw();
      expect(await outcome).toBe('answered');
      await client.close();
    });
  });

  it('writes steadily until stopped', async () => {
    const stop = await node.operator.writeSteadily();
    await linked(async (link) => {
      const client = await openOver(link);
      const before = await client.getData('/bystander');
      expect(before.length).toBe(0);
      await client.close();
    });
    await stop();
  });

  it('keeps its data over a kill, frozen or not, and loses it in a wipe, on the same address', async () => {
    await node.operator.write('keep', 'key', text('1'));
    await node.control.freeze();
    await node.control.kill();
    await expect(node.operator.keys('keep')).rejects.toThrow();
    await node.control.start();
    expect(await node.operator.keys('keep')).toEqual(['key']);
    await node.control.wipe();
    expect(await node.operator.keys('keep')).toEqual([]);
  });
});
