import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressesOf } from './support/servers.js';
import { addMember, openedBy, type Realm, startRealm } from './support/users.js';

let realm: Realm;
beforeAll(async () => {
  realm = await startRealm({ kind: 'simple' });
});
afterAll(() => realm.node.stop());

// etcd#10131: a watch that was not back after its user had been removed and added again.
it('SEC-21 keeps the session and its watches when its user is removed and added again before the deadline', async () => {
  const member = await addMember(realm);
  const { session, backend } = openedBy(member, realm, addressesOf(realm.node), 12_000);
  const seen: (string | null)[] = [];
  await session.connected();
  backend.watch('config/a').subscribe((register) => seen.push(register && Buffer.from(register.value).toString()));
  await expect.poll(() => seen).toEqual([null]);
  const { name, password, namespace } = member;
  await realm.accounts.deleteUser(name);
  await expect.poll(() => session.state.state).toBe('suspended');
  await realm.gateway.put(`${namespace}/config/a`, 'meanwhile');
  // The role of that name is there already.
  await realm.gateway.post('/auth/user/add', { name, password });
  await realm.gateway.post('/auth/user/grant', { user: name, role: name });
  await expect.poll(() => seen).toEqual([null, 'meanwhile']);
  await expect.poll(() => session.state.state).toBe('connected');
  expect(session.epoch).toBe(1);
});
