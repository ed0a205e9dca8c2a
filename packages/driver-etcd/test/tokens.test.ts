import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';
import { addMember, openedBy, type Realm, startRealm } from './support/users.js';

const ttlMs = 2_000;
// With this timeout there are three seconds between heartbeats, each of which prolongs a simple token.
const rarely = 18_000;

describe.each(['simple', 'jwt'] as const)('with %s tokens of two seconds', (kind) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ kind, ttlMs });
  });
  afterAll(() => realm.node.stop());

  it('SEC-18 keeps an idle session longer than its token is good for', async () => {
    const { session, backend, call } = openedBy(await addMember(realm), realm, addressesOf(realm.node), rarely);
    await session.connected();
    const { deadline } = session;
    // It moves only with heartbeats, and only those between which a token can expire.
    await expect.poll(() => session.deadline).toBeGreaterThan(deadline + 2 * ttlMs);
    await backend.put('config/a', Buffer.from('1'), { expect: 'absent' }, call());
    expect(session.epoch).toBe(1);
  });

  it('SEC-18 goes on watching where it was when its token expired while it was cut off', async () => {
    const member = await addMember(realm);
    const link = await linkTo(realm.node);
    const { session, backend } = openedBy(member, realm, hostsOf(link), rarely);
    await session.connected();
    const seen: (string | null)[] = [];
    backend.watch('config/a').subscribe((register) => seen.push(register && Buffer.from(register.value).toString()));
    await expect.poll(() => seen).toEqual([null]);
    const children: number[] = [];
    backend.watchChildren('config', { data: true }).subscribe((all) => children.push(all.length));
    await realm.gateway.put(`${member.namespace}/config/a`, '1');
    await expect.poll(() => seen.at(-1)).toBe('1');
    link.cut();
    await realm.gateway.put(`${member.namespace}/config/a`, '2');
    await realm.gateway.put(`${member.namespace}/config/b`, '2');
    // What is waited for is the time itself: the server looks once a second for what has expired.
    const expiredAt = performance.now() + ttlMs + 1_000;
    await expect.poll(() => performance.now()).toBeGreaterThan(expiredAt);
    link.heal();
    await expect.poll(() => seen.at(-1)).toBe('2');
    await expect.poll(() => children.at(-1)).toBe(2);
    await realm.gateway.put(`${member.namespace}/config/a`, '3');
    await expect.poll(() => seen.at(-1)).toBe('3');
    expect(seen).toEqual([null, '1', '2', '3']);
    expect(session.epoch).toBe(1);
  });

  it('SEC-18 takes a change of users and roles for no end of anything', async () => {
    const member = await addMember(realm);
    const { session, backend, call } = openedBy(member, realm);
    await session.connected();
    const seen: unknown[] = [];
    backend
      .watch('config/a')
      .subscribe({ next: (register) => seen.push(register?.version), error: (error) => seen.push(error) });
    for (let round = 0; round < 10; round += 1) {
      const [stored] = await Promise.all([
        backend.put('config/a', Buffer.from(String(round)), { expect: 'any' }, call()),
        realm.accounts.permit(member.name, `elsewhere-${String(round)}/`),
      ]);
      expect(stored.stored).toBe(true);
    }
    const { version } = (await backend.get('config/a', 'linearizable', call())) ?? {};
    await expect.poll(() => seen.at(-1)).toBe(version);
    expect(session.epoch).toBe(1);
  });
});
