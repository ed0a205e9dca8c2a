import { filter, take } from 'rxjs';
import { expect } from 'vitest';
import { eventually, type Outcome, outcome, throughout } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import { makeShard, stateOf } from '../once-records.js';
import { OpenWork, runA } from '../open-work.js';
import { area } from '../scenario.js';

const never = (): string => {
  throw new Error('this work must not run');
};

/** One who runs key `a` and hears nothing since its grant: its intent is in the store. */
async function unanswered(fixture: Fixture) {
  const [one, other] = (await fixture.clients(2)) as [Client, Client];
  const store = await fixture.store();
  await makeShard(store, 'a');
  onGrant(one, () => one.link.swallowReplies());
  let runs = 0;
  const running = outcome(runA(one, () => `run ${String(++runs)}`));
  await eventually(async () => expect(await stateOf(store, 'a')).toBe('intent'));
  return { one, other, running, runs: () => runs };
}

/** The idempotency gate when requests or replies are lost or late: docs/spec/idempotency.md. */
export const idempotencyReplies = area('idempotency replies', (scenario) => {
  // kvtools/valkeyrie PR186: what became of a write has to be found out before going on.
  scenario('ONCE-30', 'runs once when the reply to its intent is lost', async (fixture) => {
    const { one, other, running, runs } = await unanswered(fixture);
    await throughout(100, () => expect(runs()).toBe(0));
    one.link.heal();
    expect((await running).value).toBe('run 1');
    expect(await runA(other, never)).toBe('run 1');
  });

  scenario('ONCE-31', 'runs once when its intent is applied late', async (fixture) => {
    const [one, failing, other] = (await fixture.clients(3)) as [Client, Client, Client];
    const store = await fixture.store();
    for (const key of ['a', 'b']) await makeShard(store, key);
    let runs = 0;
    await late(one, fixture, () => runA(one, () => `run ${String(++runs)}`));
    expect(await runA(other, never)).toBe('run 1');
    expect(runs).toBe(1);
    const gate = other.coordinator.idempotency('gate');
    const thrown = await late(failing, fixture, () =>
      failing.coordinator.idempotency('gate').run('b', () => Promise.reject(new Error('on purpose'))),
    );
    expect(thrown.reason).toMatchObject({ message: 'on purpose' });
    expect(await gate.run('b', () => 'well')).toBe('well');
    await throughout(fixture.timeoutMs / 8, async () => {
      expect(await runA(other, never)).toBe('run 1');
      expect(await gate.run('b', never)).toBe('well');
    });
  });

  scenario('ONCE-32', 'records its result when the reply is lost, or it is applied late', async (fixture) => {
    const [swallowed, held, other] = (await fixture.clients(3)) as [Client, Client, Client];
    const store = await fixture.store();
    const open = await OpenWork.begin(swallowed.coordinator, 'a');
    swallowed.link.swallowReplies();
    open.finish('first');
    await eventually(async () => expect(await stateOf(store, 'a')).toBe('result'));
    swallowed.link.heal();
    expect((await open.outcome).value).toBe('first');
    const slow = await OpenWork.begin(held.coordinator, 'b');
    const { requests } = held.coordinator.traffic;
    held.link.holdRequests();
    slow.finish('second');
    await fixture.sent(held.coordinator, requests);
    await held.link.deliverHeld();
    expect((await slow.outcome).value).toBe('second');
    const gate = other.coordinator.idempotency('gate');
    expect([await gate.run('a', never), await gate.run('b', never)]).toEqual(['first', 'second']);
  });

  scenario('ONCE-33', 'frees the key of a call that ended before it heard of its intent', async (fixture) => {
    const [swallowed, held, other] = (await fixture.clients(3)) as [Client, Client, Client];
    const store = await fixture.store();
    await makeShard(store, 'a');
    await makeShard(store, 'b');
    const caller = new AbortController();
    onGrant(swallowed, () => swallowed.link.swallowReplies());
    const silent = outcome(runA(swallowed, never, { signal: caller.signal }));
    await eventually(async () => expect(await stateOf(store, 'a')).toBe('intent'));
    caller.abort('mine');
    expect((await silent).reason).toBe('mine');
    const waiting = outcome(runA(other, () => 'other'));
    swallowed.link.heal();
    expect((await waiting).value).toBe('other');

    const gate = held.coordinator.idempotency('gate');
    const gone = new AbortController();
    const call = (): Promise<unknown> => gate.run('b', never, { signal: gone.signal });
    expect((await late(held, fixture, call, () => gone.abort('mine'))).reason).toBe('mine');
    const next = other.coordinator.idempotency('gate');
    expect(await next.run('b', () => 'other')).toBe('other');
    await throughout(fixture.timeoutMs / 8, async () => expect(await next.run('b', never)).toBe('other'));
  });

  scenario('ONCE-34', 'goes on at the end of the line when the session ends before it ran', async (fixture) => {
    const { one, other, running } = await unanswered(fixture);
    await fixture.expire(one);
    one.link.heal();
    expect((await running).value).toBe('run 1');
    expect(one.states.last?.epoch).toBe(2);
    expect(await runA(other, never)).toBe('run 1');
  });

  scenario('ONCE-35', 'runs each key once while connections are cut again and again', async (fixture) => {
    const clients = await fixture.clients(3);
    const keys = Array.from({ length: 6 }, (_, index) => `key-${String(index)}`);
    const runs = new Map<string, number>();
    // Between two cuts something gets through, so that nobody gives up.
    const flaps = clients.map(async ({ coordinator, link, states }) => {
      for (let flap = 0; flap < 8; flap++) {
        const before = states.values.length;
        link.flap();
        await eventually(() => expect(states.values.length).toBeGreaterThan(before));
        await coordinator.lock('beside').with(() => undefined);
      }
    });
    const calls = clients.flatMap(({ coordinator }, index) =>
      keys.map((key) =>
        coordinator.idempotency('gate').run(key, async () => {
          runs.set(key, (runs.get(key) ?? 0) + 1);
          await coordinator.ready();
          return index;
        }),
      ),
    );
    const answers = await Promise.all(calls);
    await Promise.all(flaps);
    expect([...runs.values()]).toEqual(keys.map(() => 1));
    for (const [index] of keys.entries())
      expect(new Set([0, 1, 2].map((client) => answers[client * keys.length + index])).size).toBe(1);
    for (const { states } of clients) expect(states.last?.epoch).toBe(1);
  });
});

/** Does something at the moment in which the lock of a key is granted, before its intent is sent. */
function onGrant({ coordinator }: Client, act: () => void): void {
  const granted$ = coordinator.events$.pipe(filter(({ type }) => type === 'acquired'));
  granted$.pipe(take(1)).subscribe(act);
}

/** A call whose intent is held up while something happens, and delivered when its connection is gone. */
async function late(
  client: Client,
  fixture: Fixture,
  call: () => Promise<unknown>,
  meanwhile = (): void => undefined,
): Promise<Outcome<unknown>> {
  let requests = 0;
  onGrant(client, () => {
    ({ requests } = client.coordinator.traffic);
    client.link.holdRequests();
  });
  const running = outcome(call());
  await eventually(() => expect(requests).toBeGreaterThan(0));
  await fixture.sent(client.coordinator, requests);
  meanwhile();
  await client.link.deliverHeld();
  return running;
}
