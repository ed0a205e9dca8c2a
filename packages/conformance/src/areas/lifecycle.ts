import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

/** A session from its opening to its loss: docs/spec/session.md. Every scenario of the suite also checks SESS-02. */
export const lifecycle = area('lifecycle', (scenario) => {
  scenario('SESS-01', 'connects in the background and shows the session it was granted', async (fixture) => {
    const { coordinator, states } = await fixture.client({ ready: false });
    expect(states.values).toMatchObject([{ state: 'connecting', epoch: 1, id: null }]);
    await coordinator.ready();
    const state = states.last;
    expect(state).toMatchObject({ state: 'connected', epoch: 1, timeoutMs: fixture.timeoutMs });
    expect(state?.id).toMatch(/^[0-9a-f]+$/);
    const late = new Recorder(coordinator.session$);
    expect(late.values).toEqual([state]);
    late.stop();
  });

  scenario('SESS-02', 'goes over a cut from connected to suspended and back, in the same session', async (fixture) => {
    const { link, states } = await fixture.client();
    const { id } = states.last ?? {};
    link.cut();
    await states.first(({ state }) => state === 'suspended', fixture.timeoutMs / 3 + 2_000);
    link.heal();
    await states.settles(({ state }) => state === 'connected');
    const phases = states.values.map(({ state }) => state);
    // Once more for each time that the machine was too slow for its heartbeats.
    expect(phases.slice(0, 4)).toEqual(['connecting', 'connected', 'suspended', 'connected']);
    expect(new Set(phases.slice(4))).not.toContain('lost');
    expect(states.last).toMatchObject({ epoch: 1, id });
  });

  // A dead link says nothing by itself: alexguan/node-zookeeper-client#20, etcd3#110.
  scenario(
    'SESS-03',
    'is suspended after T/3 of silence, and lost before the store ends the session',
    async (fixture) => {
      const { coordinator, link, states } = await fixture.client();
      const { id } = states.last ?? {};
      const silentFrom = performance.now();
      link.blackhole();
      await states.first(({ state }) => state === 'suspended');
      expect(performance.now() - silentFrom).toBeLessThan(fixture.timeoutMs / 3 + 1_000);
      const losses: number[] = [];
      coordinator.session$.subscribe(({ state }) => state === 'lost' && losses.push(performance.now() - silentFrom));
      await states.first(({ state }) => state === 'lost');
      const keys = await fixture.keys();
      // An operator who was answered later may have come too late.
      if (performance.now() - silentFrom < fixture.timeoutMs) expect(keys).toContain(`session/${String(id)}`);
      expect(losses[0]).toBeLessThan(fixture.timeoutMs);
      expect(states.values.find(({ state }) => state === 'lost')?.reason).toMatchObject({ code: 'SESSION_LOST' });
      link.heal();
      const next = await states.first(({ state, epoch }) => state === 'connected' && epoch === 2);
      expect(next.id).not.toBe(id);
      await eventually(async () => expect(await fixture.keys()).not.toContain(`session/${String(id)}`));
    },
  );

  scenario('SESS-04', 'is kept by heartbeats while idle, and safe for at most T less the margin', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    const longest = fixture.timeoutMs - fixture.marginMs;
    const before = grant.safeUntil;
    await throughout(1.5 * fixture.timeoutMs, () => {
      const left = grant.safeUntil - performance.now();
      expect(left).toBeLessThanOrEqual(longest);
      expect(left).toBeGreaterThan(0);
    });
    expect(grant.safeUntil).toBeGreaterThan(before + fixture.timeoutMs / 2);
    expect(states.last).toMatchObject({ epoch: 1 });
  });

  // On etcd a revoke is not pushed by itself; a lost ephemeral of the session's own tells of it.
  scenario('SESS-05', 'is lost as soon as the store says so, and opens the next one', async (fixture) => {
    const { states } = await fixture.client();
    const { id = '' } = states.last ?? {};
    const from = performance.now();
    await fixture.world.operator.expireSession(String(id));
    const lost = await states.first(({ state }) => state === 'lost');
    expect(performance.now() - from).toBeLessThan(1_000);
    expect(lost.reason).toMatchObject({ code: 'SESSION_LOST', retryable: true });
    const next = await states.first(({ state, epoch }) => state === 'connected' && epoch === 2);
    expect(next.id).not.toBe(id);
    const phases = states.values.map(({ state, epoch }) => `${state} ${String(epoch)}`);
    // A store that ends a session by cutting its connection, or is slow just then, lets it be suspended for a moment.
    const expected = ['connecting 1', 'connected 1', 'lost 1', 'connecting 2', 'connected 2'];
    const others = phases.filter((phase) => phase !== 'suspended 1');
    expect(others.filter((phase, index) => phase !== others[index - 1])).toEqual(expected);
  });

  scenario('SESS-06', 'owns one key of its own, for as long as it lives', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const ids = [one, other].map(({ states }) => `session/${String(states.last?.id)}`).sort();
    expect(ids[0]).not.toBe(ids[1]);
    const sessions = async (): Promise<string[]> => (await fixture.keys()).filter((key) => key.startsWith('session/'));
    expect((await sessions()).sort()).toEqual(ids);
    await one.coordinator.close();
    expect(await sessions()).toEqual([`session/${String(other.states.last?.id)}`]);
  });

  scenario(
    'SESS-07',
    'waits for a store that comes later, and says in a timeout that it is not there',
    async (fixture) => {
      const link = await fixture.link();
      link.cut();
      const { coordinator, states } = await fixture.client({ link, ready: false });
      const caller = new AbortController();
      const aborted = outcome(coordinator.ready({ signal: caller.signal }));
      await expect(coordinator.ready({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' });
      caller.abort('enough');
      expect((await aborted).reason).toBe('enough');
      expect(states.values.map(({ state }) => state)).toEqual(['connecting']);
      link.heal();
      await coordinator.ready({ timeoutMs: 20_000 });
      expect(states.last).toMatchObject({ state: 'connected', epoch: 1 });
    },
  );

  scenario('SESS-08', 'confirms by a heartbeat that the store answered after it was asked', async (fixture) => {
    const store = await fixture.store();
    await store.confirm();
    const { deadline } = store.session;
    await throughout(60, () => undefined);
    for (let round = 0; round < 5; round += 1) {
      const { heartbeats } = store.backend.traffic;
      await store.confirm();
      expect(store.backend.traffic.heartbeats).toBeGreaterThan(heartbeats);
    }
    // It may count from a heartbeat that is a little older than the newest.
    await eventually(() => expect(store.session.deadline).toBeGreaterThan(deadline));
    store.link.blackhole();
    let confirmed = false;
    store.backend.confirm(store.call()).then(
      () => {
        confirmed = true;
      },
      () => undefined,
    );
    await eventually(() => expect(store.session.epoch).toBe(2));
    expect(confirmed).toBe(false);
  });

  scenario('SESS-09', 'tells every transition as an event too, after the state itself', async (fixture) => {
    const { coordinator, states, events } = await fixture.client({ ready: false });
    const order: string[] = [];
    coordinator.session$.subscribe(({ state }) => order.push(`state ${state}`));
    coordinator.events$.subscribe(({ type }) => type.startsWith('session-') && order.push(type));
    await coordinator.ready();
    await fixture.expire({ states });
    await states.first(({ state, epoch }) => state === 'connected' && epoch === 2);
    const told = order.filter((step) => step.startsWith('state ')).slice(1);
    expect(order.slice(1)).toEqual(told.flatMap((step) => [step, step.replace('state ', 'session-')]));
    const lost = events.values.find(({ type }) => type === 'session-lost');
    expect(lost).toMatchObject({ epoch: 1, reason: { code: 'SESSION_LOST' } });
    expect(Math.abs((lost?.atMs ?? 0) - performance.now())).toBeLessThan(30_000);
  });

  scenario('SESS-10', 'counts what goes over the wire, heartbeats apart', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    await coordinator.lock('a').with(() => undefined);
    const before = { ...coordinator.traffic, wire: link.wire.requests };
    await coordinator.lock('a').with(() => undefined);
    const { requests } = coordinator.traffic;
    expect(requests - before.requests).toBe(link.wire.requests - before.wire);
    await eventually(() => expect(coordinator.traffic.heartbeats).toBeGreaterThan(before.heartbeats));
    expect(coordinator.traffic.requests).toBe(requests);
    expect(link.wire.requests - before.wire).toBe(requests - before.requests);
  });
});
