import type { Host } from '@concordat/core/spi';
import { expect, it, onTestFinished } from 'vitest';
import { type EtcdSettings, type SecureNode, startSecureEtcd } from '../../src/servers/index.js';

const operator = { username: 'root', password: 'a secret of the operator' };

/** An etcd with authentication switched on. */
async function start(authToken: EtcdSettings['authToken'] & object): Promise<SecureNode<EtcdSettings>> {
  const node = await startSecureEtcd({ authToken, operator });
  onTestFinished(() => node.stop());
  await ask(node.door, 'auth/user/add', { name: operator.username, password: operator.password });
  await ask(node.door, 'auth/role/add', { name: 'root' });
  await ask(node.door, 'auth/user/grant', { user: operator.username, role: 'root' });
  await ask(node.door, 'auth/enable', {});
  return node;
}

async function ask({ host, port }: Host, path: string, body: object, token = ''): Promise<string> {
  const headers = { connection: 'close', ...(token === '' ? {} : { authorization: token }) };
  const url = `http://${host}:${String(port)}/v3/${path}`;
  return (await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })).text();
}

async function tokenOf({ door }: SecureNode<EtcdSettings>): Promise<string> {
  const reply = await ask(door, 'auth/authenticate', { name: operator.username, password: operator.password });
  return /"token":"([^"]+)"/.exec(reply)?.[1] ?? '';
}

const read = ({ door }: SecureNode<EtcdSettings>, token: string): Promise<string> =>
  ask(door, 'kv/range', { key: Buffer.from('a').toString('base64') }, token);

it('etcd asks who somebody is, knows its operator, and starts again although nobody else may read', async () => {
  const node = await start({ kind: 'simple' });
  expect(await read(node, '')).toMatch(/user name is empty/);
  await node.operator.write('keep', 'key', Buffer.from('1'));
  await node.control.kill();
  await node.control.start();
  expect(await node.operator.keys('keep')).toEqual(['key']);
});

it('etcd forgets a simple token that nobody has used for its time', async () => {
  const node = await start({ kind: 'simple', ttlMs: 1_000 });
  const token = await tokenOf(node);
  expect(await read(node, token)).not.toMatch(/error/);
  // Each look gives it another second, so that only one that comes later than that can find it gone.
  await expect.poll(() => read(node, token), { interval: 2_500 }).toMatch(/invalid auth token/);
});

it('etcd ends a JWT after its time, used or not', async () => {
  const node = await start({ kind: 'jwt', ttlMs: 2_000 });
  const token = await tokenOf(node);
  expect(await read(node, token)).not.toMatch(/error/);
  await expect.poll(() => read(node, token)).toMatch(/invalid auth token/);
});

it('etcd knows a JWT after a restart', async () => {
  const node = await start({ kind: 'jwt' });
  const token = await tokenOf(node);
  await node.restart({ authToken: { kind: 'jwt' }, operator });
  expect(await read(node, token)).not.toMatch(/error/);
});
