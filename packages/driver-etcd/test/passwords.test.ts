import type { Backend, SessionState } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Opened, openBackend } from './support/open-backend.js';
import { addressesOf } from './support/servers.js';
import { addMember, type Member, openedBy, type Realm, startRealm } from './support/users.js';

function watching(backend: Backend): unknown[] {
  const seen: unknown[] = [];
  backend.watch('config/a').subscribe((register) => seen.push(register && Buffer.from(register.value).toString()));
  return seen;
}

describe.each(['simple', 'jwt'] as const)('with %s tokens', (kind) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ kind });
  });
  afterAll(() => realm.node.stop());

  async function working(sessionTimeoutMs = 4_000): Promise<Opened & { member: Member; states: SessionState[] }> {
    const member = await addMember(realm);
    const one = openedBy(member, realm, addressesOf(realm.node), sessionTimeoutMs);
    const states: SessionState[] = [];
    one.session.state$.subscribe((state) => states.push(state));
    await one.session.connected();
    return { ...one, member, states };
  }

  it('SEC-19 is refused with a wrong password, and is let in once it is right', async () => {
    const member = await addMember(realm);
    const { session } = openedBy({ ...member, password: 'set-later' }, realm);
    await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(session.state.state).toBe('connecting');
    await realm.accounts.setPassword(member.name, 'set-later');
    await expect.poll(() => session.state.state).toBe('connected');
  });

  it('SEC-20 ends the session by its deadline, and tells why, when the password was changed', async () => {
    const { session, backend, call, member, states } = await working();
    const failed: unknown[] = [];
    backend.watch('config/a').subscribe({ error: (error: unknown) => failed.push(error) });
    await realm.accounts.setPassword(member.name, 'another');
    const get = backend.get('config/a', 'linearizable', call());
    await expect(get).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect.poll(() => session.state.state).toBe('suspended');
    expect(session.trouble?.code).toBe('UNAUTHENTICATED');
    await expect(session.connected(1)).rejects.toMatchObject({ code: 'SESSION_LOST' });
    await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect.poll(() => failed).toMatchObject([{ code: 'UNAUTHENTICATED' }]);
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'connected', 'suspended', 'lost', 'connecting']);
    await realm.accounts.setPassword(member.name, member.password);
    await expect.poll(() => session.state.state).toBe('connected');
    expect(session.epoch).toBe(2);
  });

  it('SEC-21 keeps the session when the password is right again before the deadline', async () => {
    const { session, backend, member } = await working(12_000);
    const seen = watching(backend);
    await expect.poll(() => seen).toEqual([null]);
    await realm.accounts.setPassword(member.name, 'another');
    await expect.poll(() => session.state.state).toBe('suspended');
    await realm.gateway.put(`${member.namespace}/config/a`, '1');
    await realm.accounts.setPassword(member.name, member.password);
    await expect.poll(() => session.state.state).toBe('connected');
    await expect.poll(() => seen).toEqual([null, '1']);
    expect(session.epoch).toBe(1);
  });

  it('SEC-20 takes a deleted user for one whose password was changed', async () => {
    const { session, member } = await working();
    await realm.accounts.deleteUser(member.name);
    await expect.poll(() => session.epoch).toBe(2);
    await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('SEC-22 goes on when authentication is switched off, and on again', async () => {
    const own = await startRealm({ kind });
    onTestFinished(() => own.node.stop());
    const { session, backend, call } = openedBy(await addMember(own), own);
    await session.connected();
    const seen = watching(backend);
    await own.accounts.disable();
    const nobody = openBackend(addressesOf(own.node));
    onTestFinished(() => nobody.close());
    await nobody.session.connected();
    await backend.put('config/a', Buffer.from('off'), { expect: 'any' }, call());
    await backend.confirm(call());
    await expect.poll(() => seen.at(-1)).toBe('off');
    await own.accounts.enable();
    await backend.put('config/a', Buffer.from('on'), { expect: 'any' }, call());
    await backend.confirm(call());
    await expect.poll(() => seen.at(-1)).toBe('on');
    await expect.poll(() => nobody.session.epoch).toBe(2);
    await expect(nobody.session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(session.epoch).toBe(1);
  });
});
