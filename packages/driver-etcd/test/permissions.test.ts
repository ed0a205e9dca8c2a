import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshNamespace, type Opened, openBackend } from './support/open-backend.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';
import { addMember, type Member, openedBy, type Realm, startRealm } from './support/users.js';

describe.each(['simple', 'jwt'] as const)('with %s tokens', (kind) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ kind });
  });
  afterAll(() => realm.node.stop());

  /** May do everything but in `forbidden/`, unless that is permitted as well. */
  async function restricted(...more: readonly string[]): Promise<Member> {
    const member = await addMember(realm);
    const namespace = freshNamespace();
    for (const part of ['session', 'void', 'config', 'lock', ...more])
      await realm.accounts.permit(member.name, `${namespace}/${part}/`);
    return { ...member, namespace };
  }

  function watching({ backend }: Opened, key: string): unknown[] {
    const told: unknown[] = [];
    backend.watch(key).subscribe({
      next: (register) => told.push(register && Buffer.from(register.value).toString()),
      error: (error: unknown) => told.push(error),
    });
    return told;
  }

  const denied = { code: 'PERMISSION_DENIED' };

  it('SEC-23 refuses a call without permission, and nothing else', async () => {
    const one = openedBy(await restricted(), realm);
    const { session, backend, call } = one;
    await session.connected();
    const seen = watching(one, 'config/a');
    await expect.poll(() => seen).toEqual([null]);
    const { signal } = new AbortController();
    const context = { epoch: session.epoch, signal };
    await expect(backend.get('forbidden/a', 'linearizable', call())).rejects.toMatchObject(denied);
    await expect(backend.put('forbidden/a', Buffer.of(1), { expect: 'any' }, call())).rejects.toMatchObject(denied);
    await expect(backend.children('forbidden', call())).rejects.toMatchObject(denied);
    await expect(backend.enter('forbidden', 'lock', Buffer.of(1), { limit: 1 }, context)).rejects.toMatchObject(denied);
    const place = await backend.enter('lock/a', 'lock', Buffer.of(1), { limit: 1 }, context);
    expect(place.ahead).toEqual([]);
    await backend.put('config/a', Buffer.from('1'), { expect: 'any' }, call());
    await expect.poll(() => seen).toEqual([null, '1']);
    expect(session.state).toMatchObject({ state: 'connected', epoch: 1 });
  });

  it('SEC-23 refuses a watch without permission, and no other', async () => {
    const one = openedBy(await restricted(), realm);
    const { session, backend, call } = one;
    await session.connected();
    const seen = watching(one, 'config/a');
    const refused = watching(one, 'forbidden/a');
    await expect.poll(() => refused).toMatchObject([denied]);
    await backend.put('config/a', Buffer.from('1'), { expect: 'any' }, call());
    await expect.poll(() => seen.at(-1)).toBe('1');
    expect(session.epoch).toBe(1);
  });

  it('SEC-24 ends a watch whose permission was taken away as soon as the store says so, and no other', async () => {
    const member = await restricted('forbidden');
    const link = await linkTo(realm.node);
    const one = openedBy(member, realm, hostsOf(link));
    await one.session.connected();
    const seen = watching(one, 'config/a');
    const ended = watching(one, 'forbidden/a');
    await expect.poll(() => [seen, ended]).toEqual([[null], [null]]);
    await realm.accounts.forbid(member.name, `${member.namespace}/forbidden/`);
    // An open watch goes on showing what happens: etcd looks at permissions when one is opened.
    await realm.gateway.put(`${member.namespace}/forbidden/a`, 'fresh');
    await expect.poll(() => ended).toEqual([null, 'fresh']);
    link.flap();
    await expect.poll(() => ended).toMatchObject([null, 'fresh', denied]);
    await realm.gateway.put(`${member.namespace}/config/a`, '1');
    await expect.poll(() => seen.at(-1)).toBe('1');
    expect(one.session.epoch).toBe(1);
  });

  it('SEC-25 closes without delay when it may not remove what it holds any more', async () => {
    const member = await restricted('forbidden');
    const one = openBackend(addressesOf(realm.node), {
      credentials: { username: member.name, password: member.password },
      namespace: member.namespace,
    });
    await one.session.connected();
    const context = { epoch: 1, signal: new AbortController().signal };
    await one.backend.enter('forbidden', 'lock', Buffer.of(1), { limit: 1 }, context);
    await realm.accounts.forbid(member.name, `${member.namespace}/forbidden/`);
    const start = performance.now();
    await one.close();
    expect(performance.now() - start).toBeLessThan(4_000 / 3);
    const { operator } = realm.node;
    expect(await operator.keys(member.namespace)).toEqual([expect.stringMatching(/^forbidden\//)]);
    await expect.poll(() => operator.keys(member.namespace)).toEqual([]);
  });

  it('SEC-23 is refused a session where it may not write', async () => {
    const member = await addMember(realm);
    const { session } = openedBy({ ...member, namespace: freshNamespace() }, realm);
    await expect(session.connected()).rejects.toMatchObject(denied);
  });
});
