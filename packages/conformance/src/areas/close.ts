import { expect } from 'vitest';
import { heapInUse, requireNoMoreThan, resourcesInUse } from '../collect-garbage.js';
import { eventually, nextTurn, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

/** The end of a coordinator: docs/spec/session.md. */
export const close = area('close', (scenario) => {
  // OpenStack Launchpad 2144906: stop relied on a later clean-up.
  scenario(
    'CLOSE-01',
    'ends grants at once, and has removed every entry and its session when it resolves',
    async (fixture) => {
      const { coordinator, states } = await fixture.client();
      const grants = await Promise.all(['a', 'b', 'c'].map((name) => coordinator.lock(name).acquire()));
      const signals = grants.map(({ signal }) => signal);
      const closing = coordinator.close();
      expect(grants.map(isHeld)).toEqual([false, false, false]);
      for (const { reason } of signals) expect(reason).toMatchObject({ code: 'CLOSED' });
      expect(coordinator.signal.reason).toMatchObject({ code: 'CLOSED' });
      expect(states.last).toMatchObject({ state: 'closed' });
      await closing;
      for (const name of ['a', 'b', 'c']) expect(await fixture.entries(`lock/${name}`)).toEqual([]);
      expect((await fixture.keys()).filter((key) => /^(?:session|void)\/./.test(key))).toEqual([]);
    },
  );

  scenario('CLOSE-02', 'rejects what waits with CLOSED, and tells it from loss', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await one.coordinator.lock('a').acquire();
    const waiting = [
      other.coordinator.lock('a').acquire(),
      other.coordinator.lock('a').acquire({ timeoutMs: 20_000 }),
      other.coordinator.lock('a').with(() => 'never'),
    ].map((wait) => outcome<unknown>(wait));
    const holding = new Recorder(other.coordinator.lock('b').hold());
    const queued = new Recorder(other.coordinator.lock('a').hold());
    await holding.first(() => true);
    let started = false;
    const working = outcome(
      other.coordinator.lock('c').with(async ({ signal }) => {
        started = true;
        await eventually(() => expect(signal.aborted).toBe(true));
        return 42;
      }),
    );
    await fixture.lineOf('lock/a', 5);
    await eventually(() => expect(started).toBe(true));
    const from = performance.now();
    await other.coordinator.close();
    for (const wait of [...waiting, working]) expect((await wait).reason).toMatchObject({ code: 'CLOSED' });
    for (const wait of waiting) expect((await wait).at - from).toBeLessThan(1_000);
    for (const stream of [holding, queued]) expect(stream.reason).toMatchObject({ code: 'CLOSED' });
    expect(await fixture.entries('lock/a')).toHaveLength(1);
  });

  scenario('CLOSE-03', 'completes streams after their last value', async (fixture) => {
    const { coordinator, states, events } = await fixture.client();
    const line = new Recorder(coordinator.lock('a').contenders$);
    await line.first(() => true);
    await coordinator.close();
    expect([states.completed, events.completed, line.completed]).toEqual([true, true, true]);
    expect(states.last?.state).toBe('closed');
    expect(events.values.at(-1)?.type).toBe('session-closed');
    const late = new Recorder(coordinator.session$);
    expect([late.last?.state, late.completed]).toEqual(['closed', true]);
    const lateLine = new Recorder(coordinator.lock('a').contenders$);
    await lateLine.end();
    expect(lateLine.completed).toBe(true);
  });

  // Vitess' etcd test: a closed one has to say so.
  scenario('CLOSE-04', 'answers CLOSED to everything after, and sends nothing', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    await coordinator.close();
    const before = link.wire.requests;
    const waits = [
      coordinator.ready(),
      coordinator.lock('a').acquire(),
      coordinator.lock('a').tryAcquire(),
      coordinator.lock('a').with(() => 'never'),
    ];
    for (const wait of waits)
      expect((await outcome<unknown>(wait)).reason).toMatchObject({ code: 'CLOSED', retryable: false });
    const holding = new Recorder(coordinator.lock('a').hold());
    await holding.end();
    expect(holding.reason).toMatchObject({ code: 'CLOSED' });
    expect(link.wire.requests).toBe(before);
  });

  scenario('CLOSE-05', 'closes once, however often it is asked, and never rejects', async (fixture) => {
    const { coordinator } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    const closings = [coordinator.close(), coordinator.close(), coordinator[Symbol.asyncDispose](), grant.release()];
    await Promise.all(closings);
    await coordinator.close();
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  // vitess#5859: shutdown hung when the server was down.
  scenario('CLOSE-06', 'is done within its limit with the connection cut, silent, or never there', async (fixture) => {
    const [cut, silent] = (await fixture.clients(2)) as [Client, Client];
    const link = await fixture.link();
    link.cut();
    const never = await fixture.client({ link, ready: false });
    await Promise.all(
      [cut, silent].map(({ coordinator }) =>
        coordinator.lock(`of ${coordinator === cut.coordinator ? 'cut' : 'silent'}`).acquire(),
      ),
    );
    cut.link.cut();
    silent.link.blackhole();
    const waiting = outcome(never.coordinator.lock('a').acquire());
    await Promise.all(
      [cut, silent, never].map(async ({ coordinator }) => {
        const from = performance.now();
        await coordinator.close();
        expect(performance.now() - from).toBeLessThan(2 * fixture.requestMs + 1_000);
      }),
    );
    expect((await waiting).reason).toMatchObject({ code: 'CLOSED' });
  });

  scenario('CLOSE-07', 'leaves nothing when closed at any moment of an entering', async (fixture) => {
    const kept = await fixture.client();
    await Promise.all(
      Array.from({ length: 12 }, async (_, turns) => {
        const { coordinator } = await fixture.client();
        const waiting = outcome(coordinator.lock('a').acquire());
        for (let turn = 0; turn < turns; turn++) await nextTurn();
        await coordinator.close();
        const { value, reason } = await waiting;
        if (value === undefined) expect(reason).toMatchObject({ code: 'CLOSED' });
      }),
    );
    await fixture.lineOf('lock/a', 0);
    const sessions = (await fixture.keys()).filter((key) => /^session\/./.test(key));
    expect(sessions).toEqual([`session/${String(kept.states.last?.id)}`]);
  });

  scenario('CLOSE-08', 'lets the next one in at once, and leaves other coordinators alone', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const held = await one.coordinator.lock('a').acquire();
    const beside = await other.coordinator.lock('b').acquire();
    const waiting = outcome(other.coordinator.lock('a').acquire());
    await fixture.lineOf('lock/a', 2);
    const from = performance.now();
    await one.coordinator.close();
    const { value: next, at } = await waiting;
    expect(at - from).toBeLessThan(fixture.timeoutMs / 3);
    expect(next?.token).toBeGreaterThan(held.token);
    expect(isHeld(beside)).toBe(true);
    expect(other.states.last).toMatchObject({ state: 'connected', epoch: 1 });
  });

  scenario('CLOSE-09', 'may be called by work that runs under it, and by whoever hears of the end', async (fixture) => {
    const { coordinator } = await fixture.client();
    coordinator.session$.subscribe(({ state }) => {
      if (state === 'closed') void coordinator.close();
    });
    const work = outcome(coordinator.lock('a').with(() => coordinator.close()));
    expect((await work).reason).toMatchObject({ code: 'CLOSED' });
    await coordinator.close();
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  // Vitess#17076 and microsoft/etcd3: a connection or a timer left with each one closed.
  scenario.alone('CLOSE-10', 'leaks nothing when opened and closed a hundred times', async (fixture) => {
    const link = await fixture.link();
    const openAndClose = async (times: number): Promise<void> => {
      for (let round = 0; round < times; round++) {
        const { coordinator, states, events } = await fixture.client({ link });
        await coordinator.lock('a').with(() => undefined);
        await coordinator.close();
        states.values.length = 0;
        events.values.length = 0;
      }
    };
    await openAndClose(10);
    await eventually(async () => expect(await fixture.entries('lock/a')).toEqual([]));
    const before = { heap: heapInUse(), resources: resourcesInUse() };
    await openAndClose(100);
    await eventually(() => requireNoMoreThan(before.resources));
    expect((await fixture.keys()).filter((key) => /^(?:session|void|lock\/a)\/./.test(key))).toEqual([]);
    await throughout(50, () => undefined);
    // Each one stays on this fixture's list of what to close; a leaked client is an order of magnitude larger.
    expect((heapInUse() - before.heap) / 100).toBeLessThan(60_000);
  });
});
