import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freshNamespace, type Opened, openBackend } from './support/open-backend.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
});
afterAll(() => node.stop());

async function opened(hosts = addressesOf(node), namespace = freshNamespace()): Promise<Opened> {
  const one = openBackend(hosts, { namespace });
  onTestFinished(() => one.close());
  await one.session.connected();
  return one;
}

const value = Buffer.from('v');

it('stores what is absent, and shows what is there otherwise', async () => {
  const { backend, call } = await opened();
  const made = await backend.put('config/a', value, { expect: 'absent' }, call());
  expect(made).toMatchObject({ stored: true, register: { owner: null } });
  const again = await backend.put('config/a', Buffer.from('w'), { expect: 'absent' }, call());
  expect(again).toEqual({ stored: false, current: await backend.get('config/a', 'linearizable', call()) });
});

it('stores over exactly the version that was expected, in one request', async () => {
  const link = await linkTo(node);
  const { backend, call } = await opened(hostsOf(link));
  const made = await backend.put('config/a', value, { expect: 'absent' }, call());
  const version = made.stored ? made.register.version : 0n;
  const { requests } = link.wire;
  const next = await backend.put('config/a', Buffer.from('w'), { expect: version }, call());
  expect(link.wire.requests).toBe(requests + 1);
  expect(next).toMatchObject({ stored: true, register: { created: version } });
  expect(await backend.put('config/a', value, { expect: version }, call())).toMatchObject({ stored: false });
});

it('does not take version 0 for "absent"', async () => {
  const { backend, call } = await opened();
  expect(await backend.put('config/a', value, { expect: 0n }, call())).toEqual({ stored: false, current: null });
});

it('does not store over a version of a life before', async () => {
  const { backend, call } = await opened();
  const made = await backend.put('config/a', value, { expect: 'absent' }, call());
  await backend.delete('config/a', {}, call());
  await backend.put('config/a', value, { expect: 'absent' }, call());
  const version = made.stored ? made.register.version : 0n;
  expect(await backend.put('config/a', value, { expect: version }, call())).toMatchObject({ stored: false });
});

it('keeps the owner and the creation when it overwrites', async () => {
  const { backend, session, call } = await opened();
  const made = await backend.put('x/a', value, { expect: 'absent', ephemeral: true }, call());
  expect(made).toMatchObject({ register: { owner: session.state.id } });
  const over = await backend.put('x/a', Buffer.from('w'), { expect: 'any' }, call());
  const created = made.stored ? made.register.created : 0n;
  expect(over).toMatchObject({ stored: true, register: { owner: session.state.id, created } });
  expect(await backend.get('x/a', 'linearizable', call())).toMatchObject({ owner: session.state.id, created });
});

it('stores whatever is there, also nothing', async () => {
  const { backend, call } = await opened();
  const made = await backend.put('config/a', value, { expect: 'any' }, call());
  expect(made).toMatchObject({ stored: true, register: { owner: null } });
  if (made.stored) expect(made.register.created).toBe(made.register.version);
});

it('deletes only what its conditions say', async () => {
  const { backend, session, call } = await opened();
  expect(await backend.delete('x/a', {}, call())).toEqual({ deleted: false, current: null });
  const made = await backend.put('x/a', value, { expect: 'absent', ephemeral: true }, call());
  const version = made.stored ? made.register.version : 0n;
  expect(await backend.delete('x/a', { owner: 'abc' }, call())).toMatchObject({ deleted: false, current: { version } });
  expect(await backend.delete('x/a', { expect: 1n }, call())).toMatchObject({ deleted: false });
  const owner = session.state.id ?? '';
  expect(await backend.delete('x/a', { owner, expect: version }, call())).toEqual({ deleted: true });
});

it('lists the direct children that hold a value', async () => {
  const { backend, call } = await opened();
  for (const key of ['c', 'c/b', 'c/a', 'c/a/deep', 'c/only/deep', 'cc/x'])
    await backend.put(key, value, { expect: 'absent' }, call());
  expect(await backend.children('c', call())).toEqual(['a', 'b']);
  expect(await backend.children('none', call())).toEqual([]);
  await backend.purge('c/a', call());
  expect(await backend.get('c/a', 'session', call())).toMatchObject({ owner: null });
});

it('rejects a read on a silent link instead of calling it empty', async () => {
  const link = await linkTo(node);
  const { backend, call } = await opened(hostsOf(link));
  link.blackhole();
  await expect(backend.get('config/a', 'linearizable', call())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  link.heal();
});

it('says that the outcome of a write is unknown when its reply was lost', async () => {
  const link = await linkTo(node);
  const { backend, call } = await opened(hostsOf(link));
  link.swallowReplies();
  const put = backend.put('config/a', value, { expect: 'absent' }, call());
  await expect(put).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
  link.heal();
});

it('takes a write with a dead lease for the end of the session', async () => {
  const { backend, session, call } = await opened();
  const revoked = node.operator.expireSession(session.state.id ?? '');
  const writes = async (): Promise<unknown> => {
    for (;;) await backend.put(`x/${String(performance.now())}`, value, { expect: 'absent', ephemeral: true }, call());
  };
  await expect(writes()).rejects.toMatchObject({ code: expect.stringMatching(/SESSION_LOST|UNAVAILABLE/) as string });
  await revoked;
});
