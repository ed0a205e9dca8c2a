import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import type { Entry, Kind, Place, Ref, Rule } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

const data = Buffer.from('x');
const one: Rule = { limit: 1 };

async function opened(
  hosts: readonly string[],
  namespace = freshNamespace(),
  sessionTimeoutMs = 4_000,
): Promise<Opened> {
  const backend = openBackend(hosts, { namespace, sessionTimeoutMs });
  onTestFinished(() => backend.close());
  await backend.session.connected();
  return backend;
}

function enter(
  { backend, session }: Opened,
  { kind = 'lock', dir = 'lock/a', rule = one, signal = new AbortController().signal }: Entering = {},
): Promise<Place> {
  return backend.enter(dir, kind, data, rule, { epoch: session.epoch, signal });
}

interface Entering {
  readonly kind?: Kind;
  readonly dir?: string;
  readonly rule?: Rule;
  readonly signal?: AbortSignal;
}

/** Each in a namespace of its own: what is applied late is a matter of chance. */
async function tenTimes(run: (namespace: string) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: 10 }, () => run(freshNamespace())));
}

/** What was sent has reached the link: everything here is on one event loop, and this takes many turns of it. */
async function settled(client: Opened, namespace: string): Promise<void> {
  const { requests } = client.backend.traffic;
  expect(requests).toBeGreaterThan(0);
  await node.operator.entries(namespace, 'lock/a');
  await node.operator.entries(namespace, 'lock/a');
}

function names(refs: readonly (Ref | Entry)[] | null): readonly string[] | null {
  return refs === null ? null : refs.map(({ name }) => name);
}

describe('a line', () => {
  it('shows the nearest entries ahead in the reply that creates mine, oldest first', async () => {
    const client = await opened(addressesOf(node));
    const places = [await enter(client), await enter(client), await enter(client, { rule: { limit: 2 } })];
    expect(places.map(({ ahead }) => ahead.length)).toEqual([0, 1, 2]);
    expect(names(places[2]?.ahead ?? null)).toEqual([places[0]?.entry.name, places[1]?.entry.name]);
    const created = places.map(({ entry }) => entry.created);
    expect(created).toEqual([...created].sort((first, second) => (first < second ? -1 : 1)));
  });

  it('counts only entries of the kind that was asked for', async () => {
    const client = await opened(addressesOf(node));
    const dir = 'rw/a';
    const reader = await enter(client, { dir, kind: 'read', rule: { of: 'write', limit: 1 } });
    const writer = await enter(client, { dir, kind: 'write' });
    const late = await enter(client, { dir, kind: 'read', rule: { of: 'write', limit: 1 } });
    expect([reader, writer, late].map(({ ahead }) => names(ahead))).toEqual([
      [],
      [reader.entry.name],
      [writer.entry.name],
    ]);
    expect(names(await client.backend.ahead(late.entry, { of: 'write', limit: 1 }, client.call()))).toEqual([
      writer.entry.name,
    ]);
  });

  it('stands in one order with the entries of other languages', async () => {
    const namespace = freshNamespace();
    const client = await opened(addressesOf(node), namespace);
    await gateway.put(`${namespace}/lock/a/694d7f1c2a`, '');
    const { ahead, entry } = await enter(client);
    expect(names(ahead)).toEqual(['694d7f1c2a']);
    expect(entry.name).toBe(`${client.session.state.id ?? ''}-1`);
  });

  it('does not find an entry that was deleted by hand', async () => {
    const namespace = freshNamespace();
    const client = await opened(addressesOf(node), namespace);
    const { entry } = await enter(client);
    await node.operator.deleteEntry(namespace, 'lock/a', entry.name);
    expect(await client.backend.ahead(entry, one, client.call())).toBeNull();
    await expect(client.backend.update(entry, data, client.call())).rejects.toMatchObject({ code: 'GRANT_LOST' });
    await client.backend.leave(entry, client.call());
  });

  it('keeps place and owner of an entry that is updated', async () => {
    const client = await opened(addressesOf(node));
    const { entry } = await enter(client);
    await client.backend.update(entry, Buffer.from('y'), client.call());
    const first = await client.backend.first('lock/a', client.call());
    expect(first?.register).toMatchObject({ created: entry.created, owner: client.session.state.id });
    expect(Buffer.from(first?.register?.value ?? []).toString()).toBe('y');
  });
});

describe('gone', () => {
  it('tells of a deletion that came before the watch, also beside a steady writer', async () => {
    const client = await opened(addressesOf(node));
    const { entry } = await enter(client);
    const { ahead } = await enter(client);
    const stop = await node.operator.writeSteadily();
    await client.backend.leave(entry, client.call());
    const told: string[] = [];
    const [ref] = ahead;
    if (ref !== undefined) client.backend.gone(ref, { touched: false }).subscribe((what) => told.push(what));
    await expect.poll(() => told).toEqual(['gone']);
    await stop();
  });

  it('tells of a deletion during a cut of the link', async () => {
    const namespace = freshNamespace();
    const link = await linkTo(node);
    const client = await opened(hostsOf(link), namespace);
    const { entry } = await enter(client);
    const told: string[] = [];
    client.backend.gone(entry, { touched: false }).subscribe((what) => told.push(what));
    link.cut();
    await node.operator.deleteEntry(namespace, 'lock/a', entry.name);
    link.heal();
    await expect.poll(() => told, { timeout: 3_000 }).toEqual(['gone']);
    expect(client.session.epoch).toBe(1);
  });

  it('tells of an update only when asked, and of one that was there before', async () => {
    const client = await opened(addressesOf(node));
    const { entry } = await enter(client);
    const told: string[] = [];
    client.backend.gone(entry, { touched: false }).subscribe((what) => told.push(`plain ${what}`));
    client.backend.gone(entry, { touched: true }).subscribe((what) => told.push(`early ${what}`));
    await client.backend.confirm(client.call());
    await client.backend.update(entry, data, client.call());
    await expect.poll(() => told).toEqual(['early touched']);
    client.backend.gone(entry, { touched: true }).subscribe((what) => told.push(`late ${what}`));
    await expect.poll(() => told).toEqual(['early touched', 'late touched']);
  });
});

describe('a lost reply', () => {
  it('is resolved to the one entry that was made', async () => {
    const namespace = freshNamespace();
    const link = await linkTo(node);
    const client = await opened(hostsOf(link), namespace);
    for (let round = 0; round < 5; round += 1) {
      link.swallowReplies();
      const entering = enter(client);
      await expect.poll(() => node.operator.entries(namespace, 'lock/a'), { interval: 10 }).toHaveLength(1);
      link.heal();
      const { entry, ahead } = await entering;
      expect(names(ahead)).toEqual([]);
      expect(await node.operator.entries(namespace, 'lock/a')).toEqual([entry.name]);
      await client.backend.leave(entry, client.call());
    }
    expect(client.session.epoch).toBe(1);
  });

  it('of a request that never arrived is resolved by a new attempt', async () => {
    const namespace = freshNamespace();
    const link = await linkTo(node);
    const client = await opened(hostsOf(link), namespace);
    link.blackhole();
    const entering = enter(client);
    await settled(client, namespace);
    link.heal();
    const { entry } = await entering;
    expect(entry.name).toBe(`${client.session.state.id ?? ''}-2`);
    expect(await node.operator.entries(namespace, 'lock/a')).toEqual([entry.name]);
  });

  it('leaves no entry behind when the caller is gone and the request is applied late', async () => {
    await tenTimes(async (namespace) => {
      const link = await linkTo(node);
      const client = await opened(hostsOf(link), namespace);
      const controller = new AbortController();
      link.holdRequests();
      const entering = enter(client, { signal: controller.signal }).then(
        () => 'entered',
        (error: unknown) => error,
      );
      await settled(client, namespace);
      controller.abort();
      const delivered = link.deliverHeld();
      expect(await entering).toMatchObject({ code: 'UNAVAILABLE' });
      await delivered;
      await client.backend.confirm(client.call());
      expect(await node.operator.entries(namespace, 'lock/a')).toEqual([]);
    });
  });

  it('of a request that is applied late, after it was given up, is one entry', async () => {
    await tenTimes(async (namespace) => {
      const link = await linkTo(node);
      const client = await opened(hostsOf(link), namespace);
      link.holdRequests();
      const entering = enter(client);
      await settled(client, namespace);
      await link.deliverHeld();
      const { entry } = await entering;
      await client.backend.confirm(client.call());
      expect(await node.operator.entries(namespace, 'lock/a')).toEqual([entry.name]);
    });
  });

  it('ends with the session, and nothing of it stays', async () => {
    const namespace = freshNamespace();
    const link = await linkTo(node);
    const client = await opened(hostsOf(link), namespace, 2_000);
    link.swallowReplies();
    const entering = enter(client).then(
      () => null,
      (error: unknown) => error,
    );
    expect(await entering).toMatchObject({ code: 'SESSION_LOST' });
    link.heal();
    await expect.poll(() => client.session.state.state, { timeout: 5_000 }).toBe('connected');
    expect(await node.operator.entries(namespace, 'lock/a')).toEqual([]);
  });
});

describe('on the wire', () => {
  it('a free enter and a leave are one request each', async () => {
    const link = await linkTo(node);
    const client = await opened(hostsOf(link));
    const wire = link.wire;
    const traffic = { ...client.backend.traffic };
    for (let cycle = 0; cycle < 10; cycle += 1) {
      const { entry } = await enter(client);
      await client.backend.leave(entry, client.call());
    }
    expect(link.wire).toEqual({ ...wire, requests: wire.requests + 20, writes: wire.writes + 20 });
    expect(client.backend.traffic.requests).toBe(traffic.requests + 20);
    expect(client.backend.traffic.notifications).toBe(traffic.notifications);
  });

  // dolphinscheduler#14008: a lease for each put, none of them given back.
  it('any number of entries and registers have the one lease of their session', async () => {
    const client = await opened(addressesOf(node));
    const before = await gateway.leases();
    for (let count = 0; count < 20; count += 1) {
      const { entry } = await enter(client);
      await client.backend.put(`config/${String(count)}`, data, { expect: 'any' }, client.call());
      await client.backend.leave(entry, client.call());
    }
    await enter(client);
    expect(await gateway.leases()).toBe(before);
    await client.close();
    await expect.poll(() => gateway.leases()).toBeLessThan(before);
  });

  it('a hand-over is one notification, and one look and one cancellation of the next in line', async () => {
    const link = await linkTo(node);
    const client = await opened(hostsOf(link));
    const { entry } = await enter(client);
    const waiter = await enter(client);
    const [ref] = waiter.ahead;
    if (ref === undefined) throw new Error('nobody ahead');
    const before = link.wire;
    const gone = new Promise((resolve) => client.backend.gone(ref, { touched: false }).subscribe(resolve));
    await client.backend.confirm(client.call());
    await client.backend.leave(entry, client.call());
    await gone;
    expect(await client.backend.ahead(waiter.entry, one, client.call())).toEqual([]);
    // The watch, the release, the cancellation and the look.
    await expect.poll(() => link.wire.requests - before.requests).toBe(4);
    expect(link.wire.notifications - before.notifications).toBe(1);
  });
});
