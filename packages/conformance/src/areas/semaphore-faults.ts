import type { Grant, Semaphore } from '@concordat/core';
import { expect } from 'vitest';
import { Crowd } from '../crowd.js';
import { eventually, nextTurn, type Outcome, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client, Fixture } from '../fixture.js';
import type { Link } from '../harness.js';
import { required } from '../lines.js';
import { area } from '../scenario.js';
import { queueForPermits } from '../waiting-for-permits.js';

/** No permit is lost, whatever becomes of who holds one or waits: docs/spec/semaphore.md. */
export const semaphoreFaults = area('semaphore faults', (scenario) => {
  scenario('SEM-20', 'passes a permit on when its holder’s session or entry is gone', async (fixture) => {
    const [one, other, waiter] = (await fixture.clients(3)) as [Client, Client, Client];
    const lost = await ofTwo(one).acquire();
    const deleted = await ofTwo(other).acquire();
    const [first, second] = await queueForPermits(fixture, waiter, 2, 2, 2);
    const [, entry = ''] = await fixture.entries('sem/a');
    await fixture.world.operator.deleteEntry(fixture.namespace, 'sem/a', entry);
    expect(isHeld(required((await first)?.value))).toBe(true);
    await eventually(() => expect(isHeld(deleted)).toBe(false));
    expect(deleted.signal.reason).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'NOT_FOUND' } });
    await fixture.expire(one);
    expect(isHeld(required((await second)?.value))).toBe(true);
    await eventually(() => expect(isHeld(lost)).toBe(false));
    expect(lost.signal.reason).toMatchObject({ code: 'GRANT_LOST' });
    await fixture.lineOf('sem/a', 2);
  });

  scenario('SEM-21', 'is over for a cut-off holder before its permit is granted', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const grant = await ofTwo(one).acquire();
    await ofTwo(other).acquire();
    const until = grant.safeUntil;
    const [waiting] = await queueForPermits(fixture, other, 2, 1, 2);
    one.link.blackhole();
    const next = await waiting;
    expect(next?.at).toBeGreaterThanOrEqual(until);
    expect(isHeld(grant)).toBe(false);
    expect(next?.value?.token).toBeGreaterThan(grant.token);
  });

  // curator#835 and #982: an interrupted or retried acquire left its node, and the pool shrank for good.
  scenario('SEM-22', 'loses no permit over waits that end anywhere in the line', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const held = [await ofTwo(one).acquire(), await ofTwo(one).acquire()];
    const callers = Array.from({ length: 6 }, () => new AbortController());
    const waiting: Promise<Outcome<Grant>>[] = [];
    for (const [index, { signal }] of callers.entries())
      waiting.push(...(await queueForPermits(fixture, index % 2 === 0 ? one : other, 2, 1, 2 + index, { signal })));
    // The first of those who wait, one in the middle, the last.
    for (const index of [0, 2, 5]) {
      callers[index]?.abort(`caller ${String(index)}`);
      expect((await waiting[index])?.reason).toBe(`caller ${String(index)}`);
    }
    await fixture.lineOf('sem/a', 5);
    for (const [turn, index] of [1, 3].entries()) {
      await held[turn]?.release();
      expect(isHeld(required((await waiting[index])?.value))).toBe(true);
    }
    callers[4]?.abort('enough');
    await waiting[4];
    await fixture.lineOf('sem/a', 2);
  });

  scenario('SEM-23', 'loses no permit over a wait that ends as it is granted', async (fixture) => {
    const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
    for (let turns = 0; turns < 24; turns++) {
      const held = [await ofTwo(one).acquire(), await ofTwo(one).acquire()];
      const caller = new AbortController();
      const [ending] = await queueForPermits(fixture, two, 2, 1, 2, { signal: caller.signal });
      const [behind] = await queueForPermits(fixture, three, 2, 1, 3);
      const released = held[0]?.release();
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      caller.abort('enough');
      const ended = await ending;
      await ended?.value?.release();
      const next = required((await behind)?.value);
      await Promise.all([released, held[1]?.release(), next.release()]);
      await fixture.lineOf('sem/a', 0);
    }
  });

  scenario(
    'SEM-24',
    'tells the next one though the word of who got in is lost, late or never sent',
    async (fixture) => {
      const faults: readonly ((link: Link) => void)[] = [
        (link) => link.swallowReplies(),
        (link) => link.cut(),
        (link) => link.holdRequests(),
      ];
      await Promise.all(
        faults.map(async (fault, index) => {
          const clients = (await fixture.clients(3)) as [Client, Client, Client];
          const [, middle] = clients;
          const line = await fullLine(fixture, `fault-${String(index)}`, clients);
          whenGranted(middle, () => fault(middle.link));
          await line.held[0]?.release();
          expect((await line.middle).rejected).toBe(false);
          middle.link.heal();
          await line.held[1]?.release();
          expect(isHeld(required((await line.last).value))).toBe(true);
          expect(middle.states.last?.epoch).toBe(1);
        }),
      );
    },
  );

  scenario('SEM-25', 'goes on when who got in dies before it could tell', async (fixture) => {
    const clients = (await fixture.clients(3)) as [Client, Client, Client];
    const [, middle] = clients;
    const line = await fullLine(fixture, 'a', clients);
    whenGranted(middle, () => middle.link.blackhole());
    await line.held[0]?.release();
    expect((await line.middle).rejected).toBe(false);
    await fixture.expire(middle);
    const next = required((await line.last).value);
    expect(isHeld(next)).toBe(true);
    expect(isHeld(required(line.held[1]))).toBe(true);
  });

  scenario('SEM-26', 'tells the next one when a reply to entering comes late', async (fixture) => {
    const [one, late, last] = (await fixture.clients(3)) as [Client, Client, Client];
    await late.coordinator.semaphore('a', 2).with(() => undefined);
    const held = [await ofTwo(one).acquire(), await ofTwo(one).acquire()];
    late.link.swallowReplies();
    const entering = outcome(ofTwo(late).acquire());
    await fixture.lineOf('sem/a', 3);
    const [behind] = await queueForPermits(fixture, last, 2, 1, 3);
    // It saw the one before it wait; that one never did, as far as it knows.
    await held[0]?.release();
    late.link.heal();
    expect(isHeld(required((await entering).value))).toBe(true);
    await held[1]?.release();
    expect(isHeld(required((await behind)?.value))).toBe(true);
    expect(late.states.last?.epoch).toBe(1);
  });

  scenario('SEM-27', 'neither admits nor spins when an entry that waits is written to by hand', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const held = [await ofTwo(one).acquire(), await ofTwo(one).acquire()];
    const store = await fixture.store();
    const touched = await store.enter('sem/a', { kind: 'lease:2', rule: { limit: 3 } });
    const [waiting] = await queueForPermits(fixture, other, 2, 1, 3);
    let granted = false;
    void waiting?.then(() => (granted = true));
    const before = other.coordinator.traffic.requests;
    await store.update(touched.entry, 'by hand');
    await throughout(1_000, () => expect(granted).toBe(false));
    expect(other.coordinator.traffic.requests - before).toBeLessThan(30);
    await Promise.all(held.map((grant) => grant.release()));
    expect(isHeld(required((await waiting)?.value))).toBe(true);
  });

  scenario('SEM-28', 'puts a waiter whose entry or session is gone at the end of the line', async (fixture) => {
    const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
    const held = [await ofTwo(one).acquire(), await ofTwo(one).acquire()];
    const [first] = await queueForPermits(fixture, two, 2, 1, 2);
    const [second] = await queueForPermits(fixture, three, 2, 1, 3);
    const line = await fixture.lineOf('sem/a', 4);
    await fixture.world.operator.deleteEntry(fixture.namespace, 'sem/a', line[2] ?? '');
    // The first of those who wait watches the line, and its own entry with that.
    await eventually(async () => {
      const entries = await fixture.entries('sem/a');
      expect(entries).toHaveLength(4);
      expect(entries.slice(0, 3)).toEqual([line[0], line[1], line[3]]);
    });
    await fixture.expire(three);
    await eventually(async () => {
      const entries = await fixture.entries('sem/a');
      expect(entries).toHaveLength(4);
      expect(entries).not.toContain(line[3]);
    });
    await held[0]?.release();
    const next = required((await first)?.value);
    expect(isHeld(next)).toBe(true);
    await held[1]?.release();
    expect((await second)?.value?.token).toBeGreaterThan(next.token);
  });

  // curator#855: it stopped granting under network stress.
  scenario('SEM-29', 'keeps its limit and goes on while connections are cut', async (fixture) => {
    const clients = await fixture.clients(3);
    const crowd = new Crowd((kinds) => kinds.length <= 2);
    let flapping = true;
    const contending = [...clients, ...clients].map(async (client) => {
      while (flapping || crowd.count < 30) {
        const grant = await ofTwo(client).acquire();
        crowd.granted(grant);
        await nextTurn();
        await crowd.release(grant);
      }
    });
    await Promise.all(
      clients.map(async ({ link, states }) => {
        for (let flap = 0; flap < 12; flap++) {
          const before = states.values.length;
          link.flap();
          await eventually(() => {
            expect(states.values.length).toBeGreaterThan(before);
            expect(states.last?.state).toBe('connected');
          });
        }
      }),
    );
    flapping = false;
    await Promise.all(contending);
    expect(crowd.violations).toEqual([]);
    for (const { states } of clients) expect(states.last?.epoch).toBe(1);
    await fixture.lineOf('sem/a', 0);
  });

  // A store that gives names again: by name alone, whoever was ahead is still there.
  scenario('SEM-32', 'passes a permit on to one who was cut off while its holder lined up again', async (fixture) => {
    const [holder, waiter] = (await fixture.clients(2)) as [Client, Client];
    const released = await ofTwo(holder).acquire();
    await ofTwo(holder).acquire();
    const [waiting] = await queueForPermits(fixture, waiter, 2, 1, 2);
    waiter.link.cut();
    await released.release();
    const [again] = await queueForPermits(fixture, holder, 2, 1, 2);
    waiter.link.heal();
    const granted = required((await waiting)?.value);
    expect(isHeld(granted)).toBe(true);
    await granted.release();
    expect(isHeld(required((await again)?.value))).toBe(true);
  });

  // spring-integration#1863, vitess#11678: limits that an outage stretched; curator#982 for what they left.
  scenario('SEM-30', 'keeps every limit with the connection cut or silent, and leaves nothing', async (fixture) => {
    const [cut, silent] = (await fixture.clients(2)) as [Client, Client];
    cut.link.cut();
    silent.link.blackhole();
    const from = performance.now();
    await Promise.all(
      [cut, silent].map(async (client) => {
        const timed = await outcome(ofTwo(client).acquire({ timeoutMs: 300 }));
        expect(timed.reason).toMatchObject({ code: 'TIMEOUT' });
        expect(timed.at - from).toBeLessThan(1_300);
        const tried = await outcome(ofTwo(client).tryAcquire());
        expect(tried.reason).toMatchObject({ code: 'UNAVAILABLE' });
        expect(tried.at - timed.at).toBeLessThan(fixture.requestMs + 1_000);
        client.link.heal();
        await client.states.settles(({ state }) => state === 'connected');
      }),
    );
    await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries('sem/a')).toEqual([]));
  });

  // curator#1112: a holder lost its session, the server was restarted, and nobody got its permit.
  scenario.alone(
    'SEM-31',
    'passes a permit on when its holder is gone and the store was restarted',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const lost = await ofTwo(one).acquire();
      const kept = await ofTwo(other).acquire();
      const [waiting] = await queueForPermits(fixture, other, 2, 1, 2);
      one.link.blackhole();
      await fixture.server.kill();
      await fixture.server.start();
      const next = required((await waiting)?.value);
      expect(isHeld(lost)).toBe(false);
      expect(isHeld(next)).toBe(true);
      expect(isHeld(kept)).toBe(other.states.last?.epoch === 1);
    },
  );
});

function ofTwo({ coordinator }: Client): Semaphore {
  return coordinator.semaphore('a', 2);
}

interface FullLine {
  readonly held: readonly Grant[];
  readonly middle: Promise<Outcome<Grant>>;
  readonly last: Promise<Outcome<Grant>>;
}

/** A semaphore of two, both held by the first, with two who wait. */
async function fullLine(fixture: Fixture, name: string, clients: readonly Client[]): Promise<FullLine> {
  const [one, middle, last] = clients.map(({ coordinator }) => coordinator.semaphore(name, 2));
  const held = [await required(one).acquire(), await required(one).acquire()];
  const second = outcome(required(middle).acquire());
  await fixture.lineOf(`sem/${name}`, 3);
  const third = outcome(required(last).acquire());
  await fixture.lineOf(`sem/${name}`, 4);
  return { held, middle: second, last: third };
}

/** Does something in the very turn in which a client is granted what it waits for, before anything more is sent. */
function whenGranted({ coordinator }: Client, act: () => void): void {
  const told = coordinator.events$.subscribe((event) => {
    if (event.type !== 'acquired') return;
    told.unsubscribe();
    act();
  });
}
