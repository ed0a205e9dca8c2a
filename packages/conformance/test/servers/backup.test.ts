import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEtcd, startZooKeeper } from '../../src/servers/index.js';

const one = Buffer.from('1');

describe.each([
  ['etcd', startEtcd],
  ['ZooKeeper', startZooKeeper],
])('a backup of %s', (_name, start) => {
  it('brings back what was there when it was taken, on the same address', async () => {
    const node = await start();
    onTestFinished(() => node.stop());
    await node.operator.write('kept', 'before', one);
    const backup = await node.control.backUp();
    await node.operator.write('kept', 'after', one);
    expect(await node.operator.keys('kept')).toEqual(['after', 'before']);
    await backup.restore();
    expect(await node.operator.keys('kept')).toEqual(['before']);
  });
});

it('cannot be taken of a server that somebody else runs', async () => {
  const own = await startEtcd();
  onTestFinished(() => own.stop());
  vi.stubEnv('CONCORDAT_ETCD_URL', own.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const given = await startEtcd();
  await expect(given.control.backUp()).rejects.toThrow(/CONCORDAT_ETCD_URL/);
});
