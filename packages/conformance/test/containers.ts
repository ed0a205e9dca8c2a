import { beforeAll, describe, expect, it } from 'vitest';
import type { Link } from '../src/harness.js';
import { etcdKind } from '../src/servers/etcd-kind.js';
import { StoreNode } from '../src/servers/node.js';
import { serverOf } from '../src/servers/start.js';
import { zooKeeperKind } from '../src/servers/zookeeper-kind.js';
import { addressOf } from './servers/address.js';

// Run by scripts/test-containers.mjs.
describe.each([etcdKind, zooKeeperKind])('one $name in a container', (kind) => {
  const notInstalled = { ...kind, installation: () => Promise.resolve(null) };
  const value = Buffer.from('1');
  let node: StoreNode;

  beforeAll(async () => {
    node = new StoreNode(kind, await serverOf(notInstalled));
    return () => node.stop();
  });

  /** An operator whose way leads over a link. */
  const operatorOver = (link: Link) => kind.operator(addressOf(link));

  it('answers an operator', async () => {
    for (const name of ['b', 'a']) await node.operator.write('seen', `lock/x/${name}`, value);
    expect(await node.operator.entries('seen', 'lock/x')).toEqual(['b', 'a']);
  });

  it('stands still while it is frozen, and goes on', async () => {
    await node.control.freeze();
    const looking = node.operator.entries('seen', 'lock/x');
    const pause = new Promise((resolve) => setTimeout(() => resolve('silent'), 500));
    expect(await Promise.race([looking, pause])).toBe('silent');
    await node.control.thaw();
    expect(await looking).toEqual(['b', 'a']);
  });

  it('can be reached over a link, and not over one that is cut', async () => {
    const link = await node.link();
    expect(await operatorOver(link).entries('seen', 'lock/x')).toEqual(['b', 'a']);
    link.cut();
    await expect(operatorOver(link).entries('seen', 'lock/x')).rejects.toThrow();
  });

  it('has again what was there when a backup was taken, once that is restored', async () => {
    const backup = await node.control.backUp();
    await node.operator.write('seen', 'lock/x/c', value);
    await backup.restore();
    expect(await node.operator.entries('seen', 'lock/x')).toEqual(['b', 'a']);
  });

  it('keeps its address and its data over a kill, and loses the data in a wipe', async () => {
    await node.control.kill();
    await expect(node.operator.entries('seen', 'lock/x')).rejects.toThrow();
    await node.control.start();
    expect(await node.operator.entries('seen', 'lock/x')).toEqual(['b', 'a']);
    await node.control.wipe();
    expect(await node.operator.entries('seen', 'lock/x')).toEqual([]);
  });
});
