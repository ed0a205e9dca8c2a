import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Gateway } from './support/gateway.js';
import { openBackend } from './support/open-backend.js';
import { addressesOf } from './support/servers.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
  const [host] = node.hosts;
  if (host === undefined) throw new Error('no host');
  await new Gateway(host).enableAuthentication('right');
});
afterAll(() => node.stop());

it('works with a user and a password', async () => {
  const one = openBackend(addressesOf(node), { credentials: { username: 'root', password: 'right' } });
  onTestFinished(() => one.close());
  await one.session.connected();
  const seen: unknown[] = [];
  one.backend.watch('config/a').subscribe((register) => seen.push(register?.owner));
  await one.backend.put('config/a', Buffer.from('1'), { expect: 'absent' }, one.call());
  await expect.poll(() => seen.at(-1)).toBeNull();
  await one.backend.confirm(one.call());
});

it('says that it is refused, without the password, and goes on trying', async () => {
  const one = openBackend(addressesOf(node), { credentials: { username: 'root', password: 'wrong-secret' } });
  onTestFinished(() => one.close());
  const refusal: unknown = await one.session.connected().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(String(refusal)).not.toContain('wrong-secret');
});

it('does without a token where the server wants none', async () => {
  const plain = await startEtcd();
  onTestFinished(() => plain.stop());
  const one = openBackend(addressesOf(plain), { credentials: { username: 'root', password: 'right' } });
  onTestFinished(() => one.close());
  await one.session.connected();
});
