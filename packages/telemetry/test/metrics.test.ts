import { type CoordinationEvent, createCoordinator } from '@concordat/core';
import { memory } from '@concordat/driver-memory';
import { expect, it } from 'vitest';
import { instrument } from '../src/index.js';
import { Stage } from './stage.js';

const lock = { 'coordination.primitive': 'lock' };

it('TEL-01 counts who holds and who waits, down to nobody', async () => {
  const stage = new Stage();
  const [one, other] = [stage.open(), stage.open()];
  const grant = await one.coordinator.lock('a').acquire();
  const waiting = other.coordinator.lock('a').acquire();
  const [holder, waiter] = [
    { ...lock, 'coordination.coordinator': 1 },
    { ...lock, 'coordination.coordinator': 2 },
  ];
  await expect.poll(() => stage.value('coordination.waiter.count', waiter)).toBe(1);
  expect(await stage.value('coordination.holder.count', holder)).toBe(1);
  expect(await stage.value('coordination.oldest_waiter.age', waiter)).toBeGreaterThan(0);
  await grant.release();
  await waiting;
  expect(await stage.value('coordination.holder.count', holder)).toBe(0);
  expect(await stage.value('coordination.holder.count', waiter)).toBe(1);
  expect(await stage.value('coordination.waiter.count', waiter)).toBe(0);
  expect(await stage.value('coordination.watch.fired', waiter)).toBe(1);
  expect(await stage.value('coordination.oldest_waiter.age', waiter)).toBe(0);
  await other.coordinator.close();
  await expect.poll(() => stage.value('coordination.holder.count', waiter)).toBe(0);
});

it('TEL-01 forgets who lost a session while waiting or holding', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  const held = await coordinator.lock('a').acquire();
  const waiting = coordinator.lock('a').acquire();
  await expect.poll(() => stage.value('coordination.waiter.count', lock)).toBe(1);
  for (const session of stage.store.sessions) stage.store.expireSession(session);
  await waiting;
  expect(() => held.assertHeld()).toThrow();
  expect(await stage.value('coordination.holder.count', lock)).toBe(1);
  expect(await stage.value('coordination.waiter.count', lock)).toBe(0);
  expect(await stage.value('coordination.requeue', lock)).toBe(1);
  const lost = { ...lock, 'coordination.reason': 'session_lost' };
  expect(await stage.value('coordination.grant.lost', lost)).toBe(1);
  expect(await stage.value('coordination.grant.lost', { 'coordination.reason': 'not_found' })).toBe(0);
});

it('TEL-02 records waits and holds in seconds, with how they ended', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  const one = coordinator.lock('a');
  const grant = await one.acquire();
  expect(await one.tryAcquire()).toBeUndefined();
  await expect(one.acquire({ timeoutMs: 60 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  const controller = new AbortController();
  const aborted = one.acquire({ signal: controller.signal });
  await expect.poll(() => stage.value('coordination.waiter.count', lock)).toBe(1);
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  stage.store.deleteEntry('concordat/lock/a', stage.store.entries('concordat/lock/a')[0] ?? '');
  await expect.poll(() => grant.signal.aborted).toBe(true);
  const asked = performance.now();
  const last = await one.acquire();
  const granted = performance.now();
  await expect.poll(() => stage.value('coordination.holder.count', lock)).toBe(1);
  const givingBack = performance.now();
  await last.release();
  const givenBack = performance.now();
  const waits = async (outcome: string) =>
    stage.histogram('coordination.acquire.duration', { ...lock, 'coordination.outcome': outcome });
  expect((await waits('acquired')).count).toBe(2);
  expect((await waits('taken')).count).toBe(1);
  expect((await waits('timeout')).sum).toBeGreaterThan(0.05);
  expect((await waits('timeout')).sum).toBeLessThan(5);
  expect((await waits('aborted')).count).toBe(1);
  const holds = { ...lock, 'coordination.outcome': 'released' };
  const held = (await stage.histogram('coordination.hold.duration', holds)).sum ?? 0;
  expect(held * 1_000).toBeGreaterThanOrEqual(givingBack - granted);
  expect(held * 1_000).toBeLessThanOrEqual(givenBack - asked);
  const lost = { ...lock, 'coordination.outcome': 'lost' };
  expect((await stage.histogram('coordination.hold.duration', lost)).count).toBe(1);
});

it('TEL-02 gives an error its code', async () => {
  const stage = new Stage();
  const { coordinator, link } = stage.open({}, { requestTimeoutMs: 60 });
  await coordinator.ready();
  link.blackhole();
  await expect(coordinator.lock('a').tryAcquire()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const failed = { ...lock, 'coordination.outcome': 'error', 'error.type': 'UNAVAILABLE' };
  expect((await stage.histogram('coordination.acquire.duration', failed)).count).toBe(1);
});

it('TEL-03 begins series at zero', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  await coordinator.ready();
  expect(await stage.value('coordination.session.expiration')).toBe(0);
  expect(await stage.value('coordination.event_loop.stall')).toBe(0);
  expect(await stage.value('coordination.fence.rejected')).toBe(0);
  for (const state of ['connecting', 'suspended', 'lost'])
    expect(await stage.value('coordination.session.count', { 'coordination.session.state': state })).toBe(0);
  await coordinator.lock('a').with(() => undefined);
  const zeros = ['coordination.requeue', 'coordination.watch.fired', 'coordination.cleanup.failure'];
  for (const name of zeros) expect(await stage.value(name, lock)).toBe(0);
  expect((await stage.series('coordination.grant.lost', lock)).map(({ value }) => value)).toEqual([0, 0]);
});

it('TEL-04 reports the session, its losses and the time it had left', async () => {
  const stage = new Stage();
  const { coordinator, link } = stage.open();
  await coordinator.ready();
  const state = (name: string) => stage.value('coordination.session.count', { 'coordination.session.state': name });
  expect(await state('connected')).toBe(1);
  expect(await stage.value('coordination.stale.age')).toBe(0);
  const margin = await stage.value('coordination.lease.margin');
  expect(margin).toBeGreaterThan(0);
  expect(margin).toBeLessThan(1.5);
  link.flap();
  const resumed = { 'coordination.outcome': 'resumed' };
  await expect
    .poll(async () => (await stage.series('coordination.session.reconnect.duration', resumed)).length)
    .toBe(1);
  link.cut();
  await expect.poll(() => state('suspended')).toBe(1);
  expect(await stage.value('coordination.stale.age')).toBeGreaterThan(0);
  await expect.poll(() => stage.value('coordination.session.expiration')).toBe(1);
  expect(await stage.value('coordination.lease.margin')).toBe(0);
  link.heal();
  const replaced = { 'coordination.outcome': 'replaced' };
  await expect
    .poll(async () => (await stage.series('coordination.session.reconnect.duration', replaced)).length)
    .toBe(1);
  expect(await state('connected')).toBe(1);
  await coordinator.close();
  await expect.poll(() => state('connected')).toBe(0);
});

it('TEL-05 counts an event loop that stood still', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  await coordinator.ready();
  await expect.poll(() => stage.value('coordination.event_loop.lag')).toBeLessThan(0.2);
  const until = performance.now() + 400;
  while (performance.now() < until);
  await expect.poll(() => stage.value('coordination.event_loop.stall')).toBe(1);
});

it('TEL-06 counts traffic as the driver does, and times each operation', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  await coordinator.lock('a').with(() => undefined);
  expect(await stage.value('coordination.request.sent')).toBe(coordinator.traffic.requests);
  expect(await stage.value('coordination.watch.notification')).toBe(coordinator.traffic.notifications);
  expect(await stage.value('coordination.heartbeat.sent')).toBeGreaterThanOrEqual(0);
  for (const operation of ['enter', 'leave']) {
    const durations = await stage.histogram('coordination.operation.duration', { 'coordination.operation': operation });
    expect(durations.count).toBe(1);
    expect(durations.sum).toBeGreaterThan(0);
  }
});

it('TEL-07 tells names only as resources the user makes of them', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  const grant = await coordinator.lock('secret/42').acquire();
  const session = stage.store.sessions[0] ?? '';
  const [entry = ''] = stage.store.entries('concordat/lock/secret%2F42');
  const labels = await stage.labels();
  for (const private_ of ['secret', entry, session, `"${grant.token}"`]) expect(labels).not.toContain(private_);
  const named = stage.open({
    resource: ({ name }) => name.replace(/\d+/g, '*'),
    attributes: { 'coordination.backend': 'memory' },
  });
  await named.coordinator.lock('orders/42').acquire();
  const wanted = { ...lock, 'coordination.resource': 'orders/*', 'coordination.backend': 'memory' };
  expect(await stage.value('coordination.holder.count', wanted)).toBe(1);
});

it('TEL-09 subscribes to nothing without an SDK, and to nothing any more when stopped', async () => {
  const coordinator = createCoordinator(memory, { storeName: 'no-sdk' });
  let listeners = 0;
  const events$ = {
    subscribe: () => {
      listeners += 1;
      throw new Error('nobody needs to listen');
    },
  } as unknown as typeof coordinator.events$;
  const idle = instrument({ events$, session$: coordinator.session$, traffic: coordinator.traffic, safeUntil: 0 });
  idle.fenceRejected();
  idle.stop();
  expect(listeners).toBe(0);
  await coordinator.close();

  const stage = new Stage();
  const { coordinator: measured, instrumentation: first } = stage.open();
  first.stop();
  let looks = 0;
  const instrumentation = stage.instrument({
    events$: measured.events$,
    session$: measured.session$,
    traffic: measured.traffic,
    get safeUntil() {
      looks += 1;
      return measured.safeUntil;
    },
  });
  const grant = await measured.lock('a').acquire();
  await expect.poll(() => looks).toBeGreaterThan(2);
  instrumentation.stop();
  instrumentation[Symbol.dispose]();
  const looksBefore = looks;
  expect(await stage.value('coordination.holder.count', lock)).toBe(0);
  expect(await stage.series('coordination.lease.margin')).toEqual([]);
  await grant.release();
  await measured.lock('a').with(() => undefined);
  // As long as another one needs to look three times, this one would have looked as well.
  let others = 0;
  const other = stage.instrument({
    events$: measured.events$,
    session$: measured.session$,
    traffic: measured.traffic,
    get safeUntil() {
      others += 1;
      return measured.safeUntil;
    },
  });
  await expect.poll(() => others).toBeGreaterThan(3);
  other.stop();
  expect(looks).toBe(looksBefore);
  const acquired = { ...lock, 'coordination.outcome': 'acquired' };
  expect((await stage.histogram('coordination.acquire.duration', acquired)).count).toBe(1);
});

it('TEL-10 keeps coordinators apart, and uses their numbers again', async () => {
  const stage = new Stage();
  const [one, other] = [stage.open(), stage.open()];
  await Promise.all([one.coordinator.ready(), other.coordinator.ready()]);
  await one.coordinator.lock('a').with(() => undefined);
  const sent = (number: number) => stage.value('coordination.request.sent', { 'coordination.coordinator': number });
  expect(await sent(1)).toBe(one.coordinator.traffic.requests);
  expect(await sent(2)).toBe(other.coordinator.traffic.requests);
  one.instrumentation.stop();
  stage.instrument(one.coordinator);
  expect(await sent(1)).toBe(one.coordinator.traffic.requests);
});

it('TEL-11 does not fail when a callback of the user does', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open({
    resource: () => {
      throw new Error('on purpose');
    },
  });
  const types: CoordinationEvent['type'][] = [];
  coordinator.events$.subscribe(({ type }) => types.push(type));
  await coordinator.lock('a').with(() => undefined);
  expect(types).toContain('acquired');
  expect((await stage.series('coordination.operation.duration')).length).toBeGreaterThan(0);
});

it('counts what a resource refused, where it is told', async () => {
  const stage = new Stage();
  const { instrumentation } = stage.open();
  instrumentation.fenceRejected('ledger');
  expect(await stage.value('coordination.fence.rejected', { 'coordination.resource': 'ledger' })).toBe(1);
});

it('counts an election as leadership', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  const stop = new AbortController();
  const leading = new Promise<void>((resolve) => {
    void coordinator
      .election('a')
      .lead(async () => resolve(), { signal: stop.signal })
      .catch(() => undefined);
  });
  await leading;
  await expect.poll(() => stage.series('coordination.leadership.transition')).not.toEqual([]);
  stop.abort();
  await coordinator.close();
  await expect.poll(() => stage.value('coordination.leadership')).toBe(0);
});
