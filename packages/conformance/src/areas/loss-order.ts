import { fencing, type Grant } from '@concordat/core';
import { expect } from 'vitest';
import { blockEventLoop } from '../block-event-loop.js';
import { outcome } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { catchUncaught } from '../uncaught.js';

/** Who hears of a loss, in which order, also after this process was stopped: docs/spec/lock.md. */
export const lossOrder = area('loss order', (scenario) => {
  scenario(
    'LOSS-09',
    'drops flags, aborts signals oldest first, ends streams, then shows the state and the event',
    async (fixture) => {
      const { coordinator, link, states } = await fixture.client();
      const grants: Grant[] = [];
      const order: string[] = [];
      const nobodyHolds = (): void => {
        for (const grant of grants) {
          expect(() => grant.assertHeld()).toThrow();
          expect(grant.safeUntil).toBe(0);
        }
      };
      for (const name of ['first', 'second', 'third']) {
        const grant = await coordinator.lock(name).acquire();
        grants.push(grant);
        grant.signal.addEventListener('abort', () => {
          nobodyHolds();
          order.push(name);
        });
      }
      const holding = coordinator.lock('stream').hold();
      await new Promise<void>((resolve) => {
        holding.subscribe({ next: () => resolve(), error: () => order.push('stream') });
      });
      coordinator.session$.subscribe(({ state }) => {
        if (state === 'lost') order.push('state');
      });
      coordinator.events$.subscribe(({ type }) => {
        if (type === 'session-lost' || type === 'grant-lost') order.push('event');
      });
      // By its own deadline: an end on the store may reach a single grant first, as the deletion of its entry.
      link.blackhole();
      await states.first(({ state }) => state === 'lost');
      const steps = order.filter((step, index) => step !== 'event' || order[index - 1] !== 'event');
      expect(steps).toEqual(['first', 'second', 'third', 'stream', 'state', 'event']);
    },
  );

  scenario.alone('LOSS-10', 'tells everybody, though handlers throw', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const first = await coordinator.lock('first').acquire();
    const second = await coordinator.lock('second').acquire();
    const failure = new Error('on purpose');
    const seen: string[] = [];
    first.signal.addEventListener('abort', () => {
      throw failure;
    });
    second.signal.addEventListener('abort', () => seen.push('second'));
    coordinator.session$.subscribe(({ state }) => {
      if (state === 'lost') throw failure;
    });
    coordinator.session$.subscribe(({ state }) => seen.push(state));
    const uncaught = await catchUncaught(2, async () => {
      await fixture.expire({ states });
      await states.first(({ state, epoch }) => state === 'connected' && epoch === 2);
    });
    expect(uncaught).toEqual([failure, failure]);
    // However often it was suspended before.
    const steps = seen.filter((step) => step !== 'suspended');
    expect(steps.filter((step, index) => step !== steps[index - 1])).toEqual([
      'connected',
      'second',
      'lost',
      'connecting',
      'connected',
    ]);
    expect([isHeld(first), isHeld(second)]).toEqual([false, false]);
  });

  // Patroni's frozen process: the thawed leader acted before it looked.
  scenario.alone(
    'LOSS-13',
    'declares the loss first after this process was stopped past the timeout',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const grants = [await one.coordinator.lock('a').acquire(), await one.coordinator.lock('b').acquire()];
      const waiting = outcome(other.coordinator.lock('a').acquire());
      const line = new Recorder(one.coordinator.lock('a').contenders$);
      await line.first(({ contenders }) => contenders.length === 2);
      const entering = outcome(one.coordinator.lock('c').acquire());
      const { length } = one.states.values;
      const shown = line.values.length;
      const lostWhen = new Promise<string>((resolve) => {
        const first = (what: string) => () => resolve(what);
        grants[0]?.signal.addEventListener('abort', first('loss'));
        one.coordinator.lock('a').contenders$.subscribe(() => line.values.length > shown && resolve('line'));
        void entering.then(first('grant'));
      });
      blockEventLoop(fixture.timeoutMs + 500);
      expect(grants.map(isHeld)).toEqual([false, false]);
      expect(grants.map(({ signal }) => signal.aborted)).toEqual([true, true]);
      expect(one.states.values.slice(length).map(({ state }) => state)).toEqual(['lost']);
      expect(await lostWhen).toBe('loss');
      const [next, late] = [(await waiting).value, (await entering).value];
      expect(next?.token).toBeGreaterThan(grants[0]?.token ?? 0n);
      expect(late !== undefined && isHeld(late)).toBe(true);
      expect(one.states.last?.epoch).toBe(2);
      line.stop();
    },
  );

  scenario.alone('LOSS-14', 'lets the resource refuse the late write of a holder that was stopped', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const gate = new fencing.TokenGate();
    const paused = await one.coordinator.lock('a').acquire();
    const { token } = paused;
    expect(gate.accept('ledger', token)).toBe(true);
    const waiting = other.coordinator.lock('a').acquire();
    await fixture.lineOf('lock/a', 2);
    blockEventLoop(fixture.timeoutMs + 500);
    const next = await waiting;
    expect(gate.accept('ledger', next.token)).toBe(true);
    expect(gate.accept('ledger', token)).toBe(false);
    expect(gate.accept('ledger', next.token)).toBe(true);
    expect(gate.highest('ledger')).toBe(next.token);
  });
});
