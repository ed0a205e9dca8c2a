import type { Grant, Lock, ReadWriteLock } from '@concordat/core';
import { expect } from 'vitest';
import { lockOf, mayBeTogether, queueForSide, type Side } from '../both-sides.js';
import { Crowd } from '../crowd.js';
import { eventually, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { quiet } from '../wire-tally.js';

/** Readers together, writers alone: docs/spec/read-write-lock.md. */
export const readWriteLock = area('read/write lock', (scenario) => {
  scenario('RW-01', 'grants readers together, and a writer alone, with rising tokens', async (fixture) => {
    const clients = (await fixture.clients(2)) as [Client, Client];
    const [one, other] = locksOf(clients);
    const readers = [await one.read.acquire(), await other.read.acquire(), await one.read.acquire()];
    expect(readers.map(isHeld)).toEqual([true, true, true]);
    const writing = outcome(other.write.acquire());
    let granted = false;
    void writing.then(() => (granted = true));
    await fixture.lineOf('rw/a', 4);
    // The last one in, then the first: whoever the writer watches, all have to leave.
    for (const reader of [readers[2], readers[0]]) await reader?.release();
    await throughout(fixture.timeoutMs / 16, () => expect(granted).toBe(false));
    await readers[1]?.release();
    const writer = required((await writing).value);
    expect(await one.read.tryAcquire()).toBeUndefined();
    await writer.release();
    const after = await one.read.acquire();
    const tokens = [...readers, writer, after].map(({ token }) => token);
    expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(5);
  });

  scenario('RW-02', 'serves both sides in the order in which they entered the line', async (fixture) => {
    const clients = (await fixture.clients(3)) as [Client, Client, Client];
    const first = await lockOf(clients[0]).read.acquire();
    const steps: string[] = [];
    const released: Promise<void>[] = [];
    const queued = ['write', 'read', 'read', 'write', 'write', 'read'] as const;
    for (const [index, side] of queued.entries()) {
      const client = required(clients[index % 3]);
      released.push(
        lockOf(client)[side].with(async () => {
          steps.push(`${side} in`);
          await throughout(40, () => undefined);
          steps.push(`${side} out`);
        }),
      );
      await fixture.lineOf('rw/a', index + 2);
    }
    expect(steps).toEqual([]);
    await first.release();
    await Promise.all(released);
    const write = ['write in', 'write out'];
    const readers = ['read in', 'read in', 'read out', 'read out'];
    expect(steps).toEqual([...write, ...readers, ...write, ...write, 'read in', 'read out']);
  });

  // curator#1138: a queued writer was granted beside a reader.
  scenario('RW-03', 'never has a writer beside anybody, while readers and writers come and go', async (fixture) => {
    const clients = await fixture.clients(3);
    const crowd = new Crowd(mayBeTogether);
    let count = 0;
    const work = async (client: Client, side: Side): Promise<void> => {
      const grant = await lockOf(client)[side].acquire({ timeoutMs: 25_000 });
      crowd.granted(grant, side);
      const seen = count;
      await throughout(5, () => grant.assertHeld());
      if (side === 'write') count = seen + 1;
      else expect(count).toBe(seen);
      await crowd.release(grant);
    };
    await Promise.all(
      [...clients, ...clients].map(async (client, index) => {
        for (let round = 0; round < 8; round++) await work(client, (round + index) % 3 === 0 ? 'write' : 'read');
      }),
    );
    expect(crowd.violations).toEqual([]);
    expect(crowd.count).toBe(48);
    expect(count).toBe(16);
    await fixture.lineOf('rw/a', 0);
  });

  // consul#7523: everybody woke.
  scenario(
    'RW-04',
    'lets every reader up to the next writer in on a release, and tells nobody else',
    async (fixture) => {
      const [one, near, far] = (await fixture.clients(3)) as [Client, Client, Client];
      const writer = await lockOf(one).write.acquire();
      const readers = await queueForSide(fixture, near, 'read', 4, 1);
      const next = await queueForSide(fixture, far, 'write', 1, 5);
      const others = await queueForSide(fixture, far, 'read', 5, 6);
      const before = far.coordinator.traffic.notifications;
      await writer.release();
      const grants = await Promise.all(readers.map(async (waiting) => required((await waiting).value)));
      expect(grants.map(isHeld)).toEqual([true, true, true, true]);
      await throughout(100, () => expect(far.coordinator.traffic.notifications).toBe(before));
      for (const grant of grants) await grant.release();
      const after = required((await next[0])?.value);
      expect(isHeld(after)).toBe(true);
      await after.release();
      for (const waiting of others) expect((await waiting).rejected).toBe(false);
    },
  );

  scenario('RW-05', 'lets readers in when the writer before them gives up, unless another one is', async (fixture) => {
    const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
    const held = await lockOf(one).read.acquire();
    const caller = new AbortController();
    const first = outcome(lockOf(two).write.acquire({ signal: caller.signal }));
    await fixture.lineOf('rw/a', 2);
    const near = await queueForSide(fixture, three, 'read', 2, 2);
    const timed = outcome(lockOf(two).write.acquire({ timeoutMs: 500 }));
    await fixture.lineOf('rw/a', 5);
    const [far] = await queueForSide(fixture, three, 'read', 1, 5);
    // The nearest writer of the last reader has gone, and the first one still waits before it.
    expect((await timed).reason).toMatchObject({ code: 'TIMEOUT' });
    let granted = 0;
    for (const waiting of [...near, far]) void waiting?.then(() => granted++);
    await throughout(fixture.timeoutMs / 16, () => expect(granted).toBe(0));
    caller.abort('enough');
    expect((await first).reason).toBe('enough');
    await eventually(() => expect(granted).toBe(3), 5_000);
    expect(isHeld(held)).toBe(true);
    await fixture.lineOf('rw/a', 4);
  });

  scenario('RW-06', 'answers a try by who is in the line, and leaves nothing', async (fixture) => {
    const [one, other] = locksOf((await fixture.clients(2)) as [Client, Client]);
    const reader = required(await one.read.tryAcquire());
    const beside = required(await other.read.tryAcquire());
    expect(await other.write.tryAcquire()).toBeUndefined();
    expect(await fixture.entries('rw/a')).toHaveLength(2);
    const writing = outcome(other.write.acquire());
    await fixture.lineOf('rw/a', 3);
    // A reader is first, and a writer waits before the try.
    expect(await one.read.tryAcquire()).toBeUndefined();
    expect(await fixture.entries('rw/a')).toHaveLength(3);
    await Promise.all([reader.release(), beside.release()]);
    const writer = required((await writing).value);
    expect(await one.read.tryAcquire()).toBeUndefined();
    expect(await one.write.tryAcquire()).toBeUndefined();
    expect(await fixture.entries('rw/a')).toHaveLength(1);
    await writer.release();
    const alone = required(await one.write.tryAcquire());
    expect(isHeld(alone)).toBe(true);
  });

  scenario('RW-07', 'answers UNAVAILABLE to a try of either side when the store is silent', async (fixture) => {
    const client = await fixture.client();
    client.link.blackhole();
    const from = performance.now();
    await Promise.all(
      sidesOf(client).map(async (side) => {
        await expect(side.tryAcquire()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        expect(performance.now() - from).toBeLessThan(fixture.requestMs + 1_000);
      }),
    );
    await Promise.all(
      sidesOf(client).map((side) => expect(side.acquire({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })),
    );
  });

  scenario('RW-08', 'has both sides do all that a lock does', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    for (const side of sidesOf(one)) {
      expect(await side.with((grant) => isHeld(grant))).toBe(true);
      await expect(side.with(() => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
      const reason = { mine: true };
      expect((await outcome(side.acquire({ signal: AbortSignal.abort(reason) }))).reason).toBe(reason);
      const unknown: object = { timeout: 5 };
      await expect(side.acquire(unknown)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    const seen = new Recorder(other.coordinator.readWriteLock('a').write.contenders$);
    const reading = new Recorder(lockOf(one).read.hold({ data: 'reader' }));
    await reading.first(() => true);
    const writing = new Recorder(lockOf(other).write.hold({ data: 'writer' }));
    const line = await seen.settles(({ contenders }) => contenders.length === 2);
    expect(line.contenders.map(({ kind }) => kind)).toEqual(['read', 'write']);
    expect(line.contenders.map(({ data }) => new TextDecoder().decode(data))).toEqual(['reader', 'writer']);
    expect(line.contenders.map(({ own }) => own)).toEqual([false, true]);
    expect(writing.values).toEqual([]);
    reading.stop();
    await writing.first(isHeld);
    writing.stop();
    await fixture.lineOf('rw/a', 0);
    seen.stop();
  });

  scenario('RW-12', 'waits for itself, and says for whom, when a reader asks to write', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const { read, write } = coordinator.readWriteLock('a');
    const reader = await read.acquire();
    const { reason } = await outcome(write.acquire({ timeoutMs: 600 }));
    expect(reason).toMatchObject({ code: 'TIMEOUT' });
    expect(String(reason)).toContain('place 2 in line');
    expect(String(reason)).toContain(String(states.last?.id));
    expect(isHeld(reader)).toBe(true);
    await fixture.lineOf('rw/a', 1);
  });

  scenario('RW-13', 'is independent of other names, and of other primitives with its name', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const grants = [
      await lockOf(one).write.acquire(),
      await other.coordinator.lock('a').acquire({ timeoutMs: 5_000 }),
      await other.coordinator.semaphore('a', 1).acquire({ timeoutMs: 5_000 }),
      await other.coordinator.readWriteLock('a/b').write.acquire({ timeoutMs: 5_000 }),
      await other.coordinator.readWriteLock('a/read').write.acquire({ timeoutMs: 5_000 }),
    ];
    expect(grants.map(isHeld)).toEqual([true, true, true, true, true]);
    expect(await fixture.entries('rw/a')).toHaveLength(1);
  });

  scenario('RW-16', 'tells a writer once when the readers before it leave in order', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const readers: Grant[] = [];
    for (let count = 0; count < 12; count++) readers.push(await lockOf(one).read.acquire());
    const [writing] = await queueForSide(fixture, other, 'write', 1, 12);
    await quiet(other.link);
    const { notifications, requests } = other.coordinator.traffic;
    for (const reader of readers) await reader.release();
    const writer = required((await writing)?.value);
    const { traffic } = other.coordinator;
    expect(traffic.notifications - notifications).toBe(1);
    expect(traffic.requests - requests).toBeLessThanOrEqual(fixture.harness.costs.handOver.requests);
    await writer.release();
  });
});

function locksOf([one, other]: readonly [Client, Client]): [ReadWriteLock, ReadWriteLock] {
  return [lockOf(one), lockOf(other)];
}

function sidesOf(client: Client): readonly Lock[] {
  const { read, write } = lockOf(client);
  return [read, write];
}
