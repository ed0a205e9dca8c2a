import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import type { Entry } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EntryNumbers } from '../src/entry-numbers.js';
import { freshNamespace, type Opened, openBackend } from './support/open-backend.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
});
afterAll(() => node.stop());

const dir = 'lock/a';

async function opened(hosts = addressesOf(node), namespace = freshNamespace()): Promise<Opened> {
  const backend = openBackend(hosts, { namespace, sessionTimeoutMs: 4_000 });
  onTestFinished(() => backend.close());
  await backend.session.connected();
  return backend;
}

async function enter({ backend, session }: Opened, line = dir): Promise<Entry> {
  const context = { epoch: session.epoch, signal: new AbortController().signal };
  const { entry } = await backend.enter(line, 'lock', Buffer.from('x'), { limit: 1 }, context);
  return entry;
}

function leave({ backend, call }: Opened, entry: Entry): Promise<void> {
  return backend.leave(entry, call());
}

function refused(promise: Promise<void>): Promise<unknown> {
  return promise.then(
    () => null,
    (reason: unknown) => reason,
  );
}

/** What an entry is called, apart from its lease. */
function numberOf({ name }: Entry): string {
  return name.slice(name.lastIndexOf('-'));
}

describe('the name of an entry', () => {
  // What is deleted stays in the store's index, and is walked over by every look at the line, until the next compaction.
  it('is used again once the entry is gone, in whatever line', async () => {
    const client = await opened();
    const numbers = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      const entry = await enter(client, round % 2 === 0 ? dir : 'lock/b');
      numbers.add(numberOf(entry));
      await leave(client, entry);
    }
    expect([...numbers]).toEqual(['-1']);
  });

  it('is nobody else’s while the entry stands', async () => {
    const client = await opened();
    const entries = await Promise.all(Array.from({ length: 20 }, () => enter(client)));
    expect(new Set(entries.map(numberOf)).size).toBe(20);
    await Promise.all(entries.slice(5, 15).map((entry) => leave(client, entry)));
    const more = await Promise.all(Array.from({ length: 10 }, () => enter(client)));
    const standing = [...entries.slice(0, 5), ...entries.slice(15), ...more];
    expect(new Set(standing.map(numberOf)).size).toBe(20);
  });

  it('does not let whoever leaves twice remove the next one of that name', async () => {
    const namespace = freshNamespace();
    const client = await opened(addressesOf(node), namespace);
    const entry = await enter(client);
    await Promise.all([leave(client, entry), leave(client, entry)]);
    const next = await enter(client);
    expect(next.name).toBe(entry.name);
    await leave(client, entry);
    expect(await node.operator.entries(namespace, dir)).toEqual([next.name]);
    expect(await client.backend.ahead(entry, { limit: 1 }, client.call())).toBeNull();
  });

  it('is not used again while a removal is underway', async () => {
    const client = await opened();
    const entry = await enter(client);
    const leaving = leave(client, entry);
    expect(numberOf(await enter(client))).toBe('-2');
    await leaving;
    expect(numberOf(await enter(client))).toBe('-1');
  });

  it('is not used again while one of two removals is underway', async () => {
    const numbers = new EntryNumbers('17');
    const entry: Entry = { dir, name: '11-1', kind: 'lock', epoch: 1, created: 5n, seen: 5n };
    numbers.stands(entry, numbers.take());
    let answer = (_removed: number): void => undefined;
    const slow = numbers.removing(entry, () => new Promise((resolve) => (answer = resolve)));
    await numbers.removing(entry, () => Promise.resolve(1));
    expect(numbers.take()).toBe(2);
    answer(0);
    await slow;
    expect(numbers.take()).toBe(1);
  });

  it('is never used again when a removal was not answered, which may still be applied', async () => {
    const namespace = freshNamespace();
    const link = await linkTo(node);
    const client = await opened(hostsOf(link), namespace);
    const entry = await enter(client);
    link.holdRequests();
    const lost = refused(leave(client, entry));
    // The way is cut with the request on it, and what was held arrives after the entry has left over the next one.
    const delivered = link.deliverHeld();
    expect(await lost).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await client.session.connected();
    await leave(client, entry);
    const next = await enter(client);
    await delivered;
    await client.backend.confirm(client.call());
    expect(next.name).not.toBe(entry.name);
    expect(await node.operator.entries(namespace, dir)).toEqual([next.name]);
  });

  it('is never used again when somebody else removed the entry', async () => {
    const namespace = freshNamespace();
    const client = await opened(addressesOf(node), namespace);
    const entry = await enter(client);
    await node.operator.deleteEntry(namespace, dir, entry.name);
    await leave(client, entry);
    expect(numberOf(await enter(client))).toBe('-2');
  });

  it('is left to the hand that took it', async () => {
    const namespace = freshNamespace();
    const client = await opened(addressesOf(node), namespace);
    const entry = await enter(client);
    await leave(client, entry);
    await node.operator.write(namespace, `${dir}/${entry.name}`, Buffer.from('by hand'));
    const next = await enter(client);
    expect(next.name).not.toBe(entry.name);
    await leave(client, entry);
    expect(await node.operator.entries(namespace, dir)).toEqual([entry.name, next.name]);
  });
});
