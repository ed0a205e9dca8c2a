import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import type { Child, Register } from '@concordat/core/spi';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Gateway } from './support/gateway.js';
import { freshNamespace, type Opened, openBackend } from './support/open-backend.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';

let node: StoreNode;
let gateway: Gateway;
beforeAll(async () => {
  node = await startEtcd();
  const [host] = node.hosts;
  if (host === undefined) throw new Error('no host');
  gateway = new Gateway(host);
});
afterAll(() => node.stop());

async function opened(hosts: readonly string[], namespace: string): Promise<Opened> {
  const one = openBackend(hosts, { namespace });
  onTestFinished(() => one.close());
  await one.session.connected();
  return one;
}

function text(register: Register | null): string | null {
  return register === null ? null : Buffer.from(register.value).toString();
}

it('shows the latest value after a cut during which the history was compacted', async () => {
  const namespace = freshNamespace();
  const link = await linkTo(node);
  const { backend } = await opened(hostsOf(link), namespace);
  const seen: (string | null)[] = [];
  backend.watch('config/a').subscribe((register) => seen.push(text(register)));
  await expect.poll(() => seen).toEqual([null]);
  link.cut();
  await gateway.put(`${namespace}/config/a`, 'one');
  await gateway.compact(await gateway.put(`${namespace}/config/a`, 'two'));
  link.heal();
  await expect.poll(() => seen, { timeout: 4_000 }).toEqual([null, 'two']);
});

// etcd#18089, #19179: a deletion in the compacted gap was never told.
it('shows a deletion that happened in a gap which was compacted, of a value and of a child', async () => {
  const namespace = freshNamespace();
  const link = await linkTo(node);
  const { backend } = await opened(hostsOf(link), namespace);
  await gateway.put(`${namespace}/config/a`, 'one');
  await gateway.put(`${namespace}/config/b`, 'two');
  const seen: (string | null)[] = [];
  const names: string[][] = [];
  backend.watch('config/a').subscribe((register) => seen.push(text(register)));
  backend.watchChildren('config', { data: true }).subscribe((children) => names.push(children.map(({ name }) => name)));
  await expect.poll(() => [seen, names.at(-1)]).toEqual([['one'], ['a', 'b']]);
  link.cut();
  await gateway.delete(`${namespace}/config/a`);
  await gateway.compact(await gateway.put(`${namespace}/config/c`, 'three'));
  link.heal();
  await expect
    .poll(() => [seen, names.at(-1)], { timeout: 4_000 })
    .toEqual([
      ['one', null],
      ['b', 'c'],
    ]);
});

it('never goes back and always ends with the last value while others write and the link flaps', async () => {
  const namespace = freshNamespace();
  const link = await linkTo(node);
  const { backend } = await opened(hostsOf(link), namespace);
  const versions: bigint[] = [];
  backend.watch('config/a').subscribe((register) => versions.push(register?.version ?? 0n));
  const flapping = setInterval(() => link.flap(), 50);
  let last = 0n;
  for (let count = 0; count < 300; count += 1) last = await gateway.put(`${namespace}/config/a`, String(count));
  clearInterval(flapping);
  await expect.poll(() => versions.at(-1), { timeout: 4_000 }).toBe(last);
  expect(versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0n))).toBe(true);
});

it('misses no change beside a steady writer', async () => {
  const namespace = freshNamespace();
  const { backend } = await opened(addressesOf(node), namespace);
  const stop = await node.operator.writeSteadily();
  for (let count = 0; count < 20; count += 1) {
    const key = `config/${String(count)}`;
    const seen: (string | null)[] = [];
    const subscription = backend.watch(key).subscribe((register) => seen.push(text(register)));
    await gateway.put(`${namespace}/${key}`, 'x');
    await expect.poll(() => seen.at(-1), { interval: 5 }).toBe('x');
    subscription.unsubscribe();
  }
  await stop();
});

it('tells a burst of arrivals in few snapshots, in order of creation', async () => {
  const namespace = freshNamespace();
  const { backend, session } = await opened(addressesOf(node), namespace);
  const other = await opened(addressesOf(node), namespace);
  const snapshots: (readonly Child[])[] = [];
  backend.watchChildren('group/a', { data: true }).subscribe((children) => snapshots.push(children));
  await expect.poll(() => snapshots).toEqual([[]]);
  const { signal } = new AbortController();
  const enter = (): Promise<unknown> =>
    other.backend.enter('group/a', 'member:me', Buffer.from('x'), { limit: 1 }, { epoch: session.epoch, signal });
  await Promise.all(Array.from({ length: 100 }, enter));
  await expect.poll(() => snapshots.at(-1)?.length).toBe(100);
  expect(snapshots.length).toBeLessThan(60);
  const created = snapshots.at(-1)?.map(({ register }) => register?.created ?? 0n) ?? [];
  expect(created).toEqual([...created].sort((one, two) => (one < two ? -1 : 1)));
});

it('without data tells arrivals and departures only, and leaves deeper keys out', async () => {
  const namespace = freshNamespace();
  const { backend, session, call } = await opened(addressesOf(node), namespace);
  const names: string[][] = [];
  backend.watchChildren('rw/a', { data: false }).subscribe((children) => {
    expect(children.every(({ register }) => register === null)).toBe(true);
    names.push(children.map(({ name, kind }) => `${String(kind)} ${name.split('-')[1] ?? name}`));
  });
  await expect.poll(() => names).toEqual([[]]);
  const context = { epoch: session.epoch, signal: new AbortController().signal };
  const { entry } = await backend.enter('rw/a', 'read', Buffer.from('x'), { limit: 1 }, context);
  await expect.poll(() => names.at(-1)).toEqual(['read 1']);
  await backend.update(entry, Buffer.from('y'), call());
  await gateway.put(`${namespace}/rw/a/deep/er`, 'x');
  await backend.enter('rw/a', 'write', Buffer.from('x'), { limit: 1 }, context);
  await expect.poll(() => names).toEqual([[], ['read 1'], ['read 1', 'write 2']]);
  await backend.leave(entry, call());
  await expect.poll(() => names.at(-1)).toEqual(['write 2']);
});

it('goes on for others when a subscriber throws', async () => {
  const namespace = freshNamespace();
  const { backend } = await opened(addressesOf(node), namespace);
  const caught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const keep = (error: unknown): void => void caught.push(error);
  process.on('uncaughtException', keep);
  onTestFinished(() => {
    process.off('uncaughtException', keep);
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const seen: (string | null)[] = [];
  let thrown = 0;
  backend.watch('config/a').subscribe(() => {
    thrown += 1;
    throw new Error('a subscriber threw');
  });
  backend.watch('config/a').subscribe((register) => seen.push(text(register)));
  for (const value of ['one', 'two']) {
    await gateway.put(`${namespace}/config/a`, value);
    await expect.poll(() => seen.at(-1)).toBe(value);
  }
  await expect.poll(() => caught.length).toBe(thrown);
  expect(thrown).toBeGreaterThan(1);
});

it('shows the same again to nobody after its session was replaced', async () => {
  const namespace = freshNamespace();
  const { backend, session } = await opened(addressesOf(node), namespace);
  await gateway.put(`${namespace}/config/a`, 'one');
  const seen: (string | null)[] = [];
  backend.watch('config/a').subscribe((register) => seen.push(text(register)));
  await expect.poll(() => seen).toEqual(['one']);
  await node.operator.expireSession(session.state.id ?? '');
  await expect.poll(() => session.state.state === 'connected' && session.epoch).toBe(2);
  await gateway.put(`${namespace}/config/a`, 'two');
  await expect.poll(() => seen).toEqual(['one', 'two']);
});
