import type { Grant } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

/** The lock as streams, `hold` and `contenders$`, and what `events$` says of it: docs/spec/lock.md. */
export const lockStreams = area('lock streams', (scenario) => {
  scenario(
    'LOCK-20',
    'contends for each subscription, emits one grant, and releases when unsubscribed',
    async (fixture) => {
      const { coordinator } = await fixture.client();
      const held = coordinator.lock('a').hold();
      await throughout(50, async () => expect(await fixture.entries('lock/a')).toEqual([]));
      const first = new Recorder(held);
      const grant = await first.first(() => true);
      const second = new Recorder(held);
      await fixture.lineOf('lock/a', 2);
      await throughout(fixture.timeoutMs / 8, () =>
        expect([first.values.length, first.ended, second.values.length]).toEqual([1, false, 0]),
      );
      expect(isHeld(grant)).toBe(true);
      first.stop();
      const next = await second.first(() => true);
      expect(isHeld(grant)).toBe(false);
      expect(next.token).toBeGreaterThan(grant.token);
      second.stop();
      await fixture.lineOf('lock/a', 0);
    },
  );

  scenario('LOCK-21', 'leaves the line when unsubscribed while waiting', async (fixture) => {
    const { coordinator } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    const waiting = new Recorder(coordinator.lock('a').hold());
    await fixture.lineOf('lock/a', 2);
    waiting.stop();
    await fixture.lineOf('lock/a', 1);
    const early = new Recorder(coordinator.lock('b').hold());
    early.stop();
    await grant.release();
    await eventually(async () => expect(await fixture.entries('lock/b')).toEqual([]));
    expect([waiting.values, early.values, waiting.ended, early.ended]).toEqual([[], [], false, false]);
  });

  scenario('LOCK-22', 'fails a hold when its grant is released by hand', async (fixture) => {
    const { coordinator } = await fixture.client();
    const holding = new Recorder(coordinator.lock('a').hold());
    const grant = await holding.first(() => true);
    await grant.release();
    expect(holding.reason).toMatchObject({ code: 'NOT_HELD' });
  });

  scenario('LOCK-23', 'fails a hold when its limits end the waiting, and never after', async (fixture) => {
    const { coordinator } = await fixture.client();
    const caller = new AbortController();
    const holding = new Recorder(coordinator.lock('a').hold({ signal: caller.signal, timeoutMs: 5_000 }));
    const grant = await holding.first(() => true);
    const waiting = new Recorder(coordinator.lock('a').hold({ signal: caller.signal }));
    const timed = new Recorder(coordinator.lock('a').hold({ timeoutMs: 100 }));
    await timed.end();
    expect(timed.reason).toMatchObject({ code: 'TIMEOUT' });
    caller.abort('enough');
    await waiting.end();
    expect(waiting.reason).toBe('enough');
    expect(isHeld(grant)).toBe(true);
    expect(holding.ended).toBe(false);
    await fixture.lineOf('lock/a', 1);
    holding.stop();
  });

  scenario('LOCK-24', 'shows the line: who stands in it, since when, and who holds', async (fixture) => {
    const [one, other, observer] = (await fixture.clients(3)) as [Client, Client, Client];
    const seen = new Recorder(observer.coordinator.lock('a').contenders$);
    await seen.settles(({ contenders }) => contenders.length === 0);
    const held = await one.coordinator.lock('a').acquire({ data: 'first' });
    const waiting = outcome(other.coordinator.lock('a').acquire({ data: 'second' }));
    const line = await seen.settles(({ contenders }) => contenders.length === 2);
    expect(line.contenders.map(({ data }) => new TextDecoder().decode(data))).toEqual(['first', 'second']);
    expect(line.contenders.map(({ session }) => session)).toEqual([one, other].map(({ states }) => states.last?.id));
    expect(line.contenders.map(({ entry }) => entry)).toEqual(await fixture.entries('lock/a'));
    expect(line.contenders[0]?.token).toBe(held.token);
    expect(line.contenders.map(({ own }) => own)).toEqual([false, false]);
    expect(line.stale).toBe(false);
    const mine = new Recorder(one.coordinator.lock('a').contenders$);
    expect((await mine.first(({ contenders }) => contenders.length === 2)).contenders.map(({ own }) => own)).toEqual([
      true,
      false,
    ]);
    await held.release();
    const after = await seen.settles(({ contenders }) => contenders.length === 1);
    expect(after.contenders[0]?.token).toBe((await waiting).value?.token);
    seen.stop();
    mine.stop();
  });

  scenario(
    'LOCK-25',
    'watches a line once, however many look, and marks what it shows stale in an outage',
    async (fixture) => {
      const { coordinator, link } = await fixture.client();
      const first = new Recorder(coordinator.lock('a').contenders$);
      await first.first(() => true);
      const { requests } = link.wire;
      const others = Array.from({ length: 20 }, () => new Recorder(coordinator.lock('a').contenders$));
      for (const seen of others) await seen.first(() => true);
      expect(link.wire.requests).toBe(requests);
      link.cut();
      await first.settles(({ stale }) => stale);
      expect(first.ended).toBe(false);
      link.heal();
      await first.settles(({ stale }) => !stale);
      for (const seen of [first, ...others]) {
        await seen.settles(({ stale }) => !stale);
        seen.stop();
      }
    },
  );

  scenario('LOCK-26', 'logs each step of a contender, with its entry and its token', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const held = await one.coordinator.lock('a').acquire();
    const waiting = other.coordinator.lock('a').acquire();
    const [, entry] = await fixture.lineOf('lock/a', 2);
    await held.release();
    const next: Grant = await waiting;
    await next.release();
    await expect(other.coordinator.lock('a').acquire({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const steps = other.events.values.flatMap((event) => ('primitive' in event ? [event] : []));
    expect(steps.map(({ type }) => type)).toEqual(['entry-created', 'watch-fired', 'acquired', 'released']);
    for (const step of steps)
      expect(step).toMatchObject({ primitive: 'lock', name: 'a', entry, epoch: 1, session: other.states.last?.id });
    expect(steps[2]?.token).toBe(next.token);
  });
});
