import type { Place } from '@concordat/core/spi';
import { expect } from 'vitest';
import { eventually, type Outcome, outcome, throughout, within } from '../eventually.js';
import type { Fixture } from '../fixture.js';
import { twoStores } from '../lines.js';
import { area } from '../scenario.js';
import type { StoreClient } from '../store-client.js';

/** Lines of ordered entries when requests, replies and connections are lost: docs/spec/entries.md. */
export const entriesUnderFaults = area('entries under faults', (scenario) => {
  // The ghost contender: curator CURATOR-79 and 62, go-zookeeper#229, zk-ruby/zk#54, dolphinscheduler#13315.
  scenario('ENTRY-30', 'has exactly one entry after a lost reply, or none', async (fixture) => {
    const stores = await fixture.stores(4);
    const settled = await Promise.all(
      stores.map(async (store, index) => {
        const dir = `lock/a${String(index)}`;
        await makeDirectory(store, dir);
        store.link.swallowReplies();
        const entering = outcome(store.enter(dir));
        await fixture.lineOf(dir, 1);
        store.link.heal();
        return requireAgreement(fixture, dir, await within(4 * fixture.timeoutMs, 'the end of enter', entering));
      }),
    );
    // The session outlives a reply, so the entry is found again.
    for (const { rejected } of settled) expect(rejected).toBe(false);
  });

  scenario('ENTRY-31', 'has exactly one entry when its request is applied late', async (fixture) => {
    const stores = await fixture.stores(4);
    await Promise.all(
      stores.map(async (store, index) => {
        const dir = `lock/a${String(index)}`;
        await makeDirectory(store, dir);
        const { requests } = store.backend.traffic;
        store.link.holdRequests();
        const entering = outcome(store.enter(dir));
        await fixture.sent(store.backend, requests);
        await store.link.deliverHeld();
        await requireAgreement(fixture, dir, await within(4 * fixture.timeoutMs, 'the end of enter', entering));
      }),
    );
  });

  // etcd applies such a request after a clean-up that was answered: 4 of 20 runs left an orphan before attempts were voided.
  scenario('ENTRY-32', 'has no entry when the caller has gone, though the request is applied late', async (fixture) => {
    const stores = await fixture.stores(4);
    await Promise.all(
      stores.map(async (store, index) => {
        const dir = `lock/a${String(index)}`;
        const caller = new AbortController();
        await makeDirectory(store, dir);
        const { requests } = store.backend.traffic;
        store.link.holdRequests();
        const entering = outcome(store.enter(dir, { signal: caller.signal }));
        await fixture.sent(store.backend, requests);
        caller.abort();
        await store.link.deliverHeld();
        await requireNoneAfterLeaving(
          fixture,
          store,
          dir,
          await within(4 * fixture.timeoutMs, 'the end of enter', entering),
        );
      }),
    );
  });

  scenario('ENTRY-33', 'has no entry when the caller has gone and the reply was lost', async (fixture) => {
    const stores = await fixture.stores(4);
    await Promise.all(
      stores.map(async (store, index) => {
        const dir = `lock/a${String(index)}`;
        const caller = new AbortController();
        await makeDirectory(store, dir);
        store.link.swallowReplies();
        const entering = outcome(store.enter(dir, { signal: caller.signal }));
        await fixture.lineOf(dir, 1);
        caller.abort();
        store.link.heal();
        await requireNoneAfterLeaving(
          fixture,
          store,
          dir,
          await within(4 * fixture.timeoutMs, 'the end of enter', entering),
        );
      }),
    );
  });

  scenario('ENTRY-34', 'ends with the session when no reply ever comes, and leaves nothing', async (fixture) => {
    const store = await fixture.store();
    await makeDirectory(store, 'lock/a');
    store.link.swallowReplies();
    const entering = outcome(store.enter('lock/a'));
    const { reason } = await within(4 * fixture.timeoutMs, 'the end of enter', entering);
    expect(reason).toMatchObject({ code: 'SESSION_LOST' });
    store.link.heal();
    await fixture.lineOf('lock/a', 0);
    await eventually(() => expect(store.session.state).toMatchObject({ state: 'connected', epoch: 2 }));
    await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries('lock/a')).toEqual([]));
  });

  scenario('ENTRY-35', 'has exactly one entry for each enter while the connection flaps', async (fixture) => {
    const store = await fixture.store();
    const entering = Array.from({ length: 8 }, () => outcome(store.enter('lock/a')));
    for (let flap = 0; flap < 4; flap++) {
      store.link.flap();
      await eventually(() => store.confirm());
    }
    const settled = await within(4 * fixture.timeoutMs, 'the end of enter', Promise.all(entering));
    const names = settled.flatMap(({ value }) => (value === undefined ? [] : [value.entry.name]));
    expect([...(await fixture.entries('lock/a'))].sort()).toEqual([...names].sort());
  });

  // kvtools/valkeyrie PR181, kazoo PR#170: a waiter that never woke after a partition.
  scenario('ENTRY-36', 'tells that an entry has gone while the connection was cut', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const first = await other.enter('lock/a');
    const mine = await store.enter('lock/a');
    const [ref] = mine.ahead;
    if (ref === undefined) throw new Error('nobody is ahead');
    const gone = store.gone(ref);
    const own = store.gone(mine.entry);
    store.link.flap();
    await eventually(() => store.confirm());
    expect([gone.values, own.values]).toEqual([[], []]);
    store.link.cut();
    await other.leave(first.entry);
    store.link.heal();
    await gone.end();
    expect(gone.values).toEqual(['gone']);
    expect(own.values).toEqual([]);
    expect(await store.ahead(mine.entry)).toEqual([]);
    expect(store.session.epoch).toBe(1);
  });
});

/** A store with directories has them made first, so that the request that is lost is the one that makes the entry. */
async function makeDirectory(store: StoreClient, dir: string): Promise<void> {
  const { entry } = await store.enter(dir);
  await store.leave(entry);
}

/** Resolved: exactly one entry and it is that one. Rejected: none, and none comes. */
async function requireAgreement(fixture: Fixture, dir: string, ended: Outcome<Place>): Promise<Outcome<Place>> {
  const names = ended.value === undefined ? [] : [ended.value.entry.name];
  await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries(dir)).toEqual(names));
  return ended;
}

/** As core does it: a place that was resolved for a caller who has gone is left. */
async function requireNoneAfterLeaving(
  fixture: Fixture,
  store: StoreClient,
  dir: string,
  { value }: Outcome<Place>,
): Promise<void> {
  if (value !== undefined) await eventually(() => store.leave(value.entry));
  await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries(dir)).toEqual([]));
}
