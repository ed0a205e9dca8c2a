import { expect } from 'vitest';
import { lockOf, mayBeTogether, queueForSide } from '../both-sides.js';
import { Crowd } from '../crowd.js';
import { eventually, outcome } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { area } from '../scenario.js';

/** Read/write locks whose holders or waiters are gone: docs/spec/read-write-lock.md. */
export const readWriteLockLoss = area('read/write lock loss', (scenario) => {
  scenario('RW-09', 'is over for a cut-off reader before a writer is granted, and the reverse', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const grants = [await lockOf(one).read.acquire(), await one.coordinator.readWriteLock('b').write.acquire()];
    const until = grants.map(({ safeUntil }) => safeUntil);
    const waiting = [
      outcome(lockOf(other).write.acquire()),
      outcome(other.coordinator.readWriteLock('b').read.acquire()),
    ];
    await fixture.lineOf('rw/a', 2);
    await fixture.lineOf('rw/b', 2);
    one.link.blackhole();
    const next = await Promise.all(waiting);
    for (const [index, { at, value }] of next.entries()) {
      expect(at).toBeGreaterThanOrEqual(until[index] ?? 0);
      const grant = required(grants[index]);
      expect(isHeld(grant)).toBe(false);
      expect(grant.signal.reason).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'SESSION_LOST' } });
      expect(value?.token).toBeGreaterThan(grant.token);
    }
  });

  scenario('RW-10', 'tells who holds, and lets in who may, when an entry is deleted by hand', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const reader = await lockOf(one).read.acquire();
    const [writing] = await queueForSide(fixture, other, 'write', 1, 1);
    const [reading] = await queueForSide(fixture, one, 'read', 1, 2);
    const [first = '', second = ''] = await fixture.lineOf('rw/a', 3);
    const { operator } = fixture.world;
    // Of the waiting writer: the reader behind it goes in, and it enters again, behind that.
    await operator.deleteEntry(fixture.namespace, 'rw/a', second);
    const beside = required((await reading)?.value);
    expect(isHeld(reader)).toBe(true);
    await operator.deleteEntry(fixture.namespace, 'rw/a', first);
    await eventually(() => expect(isHeld(reader)).toBe(false));
    expect(reader.signal.reason).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'NOT_FOUND' } });
    expect(isHeld(beside)).toBe(true);
    await beside.release();
    const writer = required((await writing)?.value);
    expect(writer.token).toBeGreaterThan(beside.token);
    expect(await fixture.entries('rw/a')).toHaveLength(1);
  });

  scenario('RW-11', 'puts whoever lost its session while waiting at the end of the line', async (fixture) => {
    const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
    const held = await lockOf(one).write.acquire();
    const [writing] = await queueForSide(fixture, two, 'write', 1, 1);
    const [reading] = await queueForSide(fixture, three, 'read', 1, 2);
    const line = await fixture.lineOf('rw/a', 3);
    await fixture.expire(two);
    await eventually(async () => {
      const entries = await fixture.entries('rw/a');
      expect(entries).toHaveLength(3);
      expect(entries.slice(0, 2)).toEqual([line[0], line[2]]);
    });
    await held.release();
    const reader = required((await reading)?.value);
    expect(isHeld(reader)).toBe(true);
    await reader.release();
    expect((await writing)?.value?.token).toBeGreaterThan(reader.token);
  });

  // curator#827 and zk-ruby/zk#54: a cut while waiting ended in an exception, or in two entries of one request.
  scenario('RW-14', 'excludes and goes on while connections are cut', async (fixture) => {
    const clients = await fixture.clients(3);
    const crowd = new Crowd(mayBeTogether);
    let flapping = true;
    const contending = clients.flatMap((client) =>
      (['read', 'write'] as const).map(async (side) => {
        while (flapping || crowd.count < 24) {
          const grant = await lockOf(client)[side].acquire();
          crowd.granted(grant, side);
          await crowd.release(grant);
        }
      }),
    );
    await Promise.all(clients.map((client) => flap(client, 10)));
    flapping = false;
    await Promise.all(contending);
    expect(crowd.violations).toEqual([]);
    for (const { states } of clients) expect(states.last?.epoch).toBe(1);
    await fixture.lineOf('rw/a', 0);
  });

  scenario('RW-15', 'rejects who waits and ends who holds when the coordinator closes', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const reader = await lockOf(one).read.acquire();
    const writing = outcome(lockOf(one).write.acquire());
    await fixture.lineOf('rw/a', 2);
    const [behind] = await queueForSide(fixture, other, 'read', 1, 2);
    await one.coordinator.close();
    expect((await writing).reason).toMatchObject({ code: 'CLOSED' });
    expect(isHeld(reader)).toBe(false);
    const left = required((await behind)?.value);
    expect(isHeld(left)).toBe(true);
    expect(await fixture.entries('rw/a')).toHaveLength(1);
  });
});

async function flap({ link, states }: Client, times: number): Promise<void> {
  for (let flaps = 0; flaps < times; flaps++) {
    const before = states.values.length;
    link.flap();
    await eventually(() => {
      expect(states.values.length).toBeGreaterThan(before);
      expect(states.last?.state).toBe('connected');
    });
  }
}
