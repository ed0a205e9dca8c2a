import { type Coordinator, fencing } from '@concordat/core';
import { expect } from 'vitest';
import { eventually } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import { Holdings } from '../holdings.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

const patienceMs = 30_000;

/** A store that goes back: docs/spec/session.md. */
export const restores = area('restores', (scenario) => {
  scenario.alone(
    'SESS-12',
    'ends everything granted when the store is restored, its session with it',
    async (fixture) => {
      const [holder, other] = (await fixture.clients(2)) as [Client, Client];
      const held = await Holdings.take(holder.coordinator, 'a', 'holder');
      const waiting = Holdings.take(other.coordinator, 'a', 'other');
      await fixture.lineOf('lock/a', 2);
      const backup = await fixture.server.backUp();
      const late = await Holdings.take(holder.coordinator, 'b', 'late');
      await backup.restore();
      await requireOver(holder, held, other, waiting);
      expect(late.held).toBe(false);
      for (const cause of late.causes) expect(cause).toBe(held.causes[0]);
    },
  );

  scenario.alone(
    'SESS-16',
    'ends everything granted when the store is restored to before its session',
    async (fixture) => {
      const backup = await fixture.server.backUp();
      const [holder, other] = (await fixture.clients(2)) as [Client, Client];
      const held = await Holdings.take(holder.coordinator, 'a', 'holder');
      const waiting = Holdings.take(other.coordinator, 'a', 'other');
      await fixture.lineOf('lock/a', 2);
      await backup.restore();
      await requireOver(holder, held, other, waiting);
    },
  );

  scenario.alone(
    'SESS-15',
    'has lower tokens refused after a restore until the token base is above them',
    async (fixture) => {
      const backup = await fixture.server.backUp();
      const { coordinator } = await fixture.client();
      await writeMuch(coordinator);
      const before = await coordinator.lock('a').acquire();
      const gate = new fencing.TokenGate();
      expect(gate.accept('resource', before.token)).toBe(true);
      await backup.restore();
      await eventually(() => expect(before.signal.aborted).toBe(true), patienceMs);
      const after = await coordinator.lock('a').acquire({ timeoutMs: patienceMs });
      expect(gate.accept('resource', after.token)).toBe(false);
      await after.release();
      await raiseTokenBase(fixture, before.token);
      // Known to a session from its beginning on.
      const raised = await (await fixture.client()).coordinator.lock('a').acquire();
      expect(raised.token).toBeGreaterThan(before.token);
      expect(gate.accept('resource', raised.token)).toBe(true);
    },
  );

  // etcd3#31: a resume above the store's revision, and silence. Here the store has passed it again.
  scenario.alone(
    'WATCH-29',
    'shows a store that lost everything, also when it was written beyond what was seen',
    async (fixture) => {
      const { coordinator: watcher, link } = await fixture.client();
      const before = await watcher.config('a').set('before');
      await watcher.config('gone').set('x');
      const seen = new Recorder(watcher.config('a').value$);
      const gone = new Recorder(watcher.config('gone').value$);
      await seen.settles(({ value }) => value === 'before');
      await gone.settles(({ value }) => value === 'x');
      link.cut();
      await fixture.server.wipe();
      const { coordinator: writer } = await fixture.client();
      await eventually(async () => {
        await writeMuch(writer);
        expect(await writer.config('filler').set('x')).toBeGreaterThan(before);
      }, patienceMs);
      await writer.config('a').set('after');
      link.heal();
      await seen.settles(({ value }) => value === 'after', patienceMs);
      await gone.settles(({ value }) => value === undefined, patienceMs);
      expect(new Set(seen.values.map(({ value }) => value))).toEqual(new Set(['before', 'after']));
    },
  );
});

/** Moves the store on, so that what is granted from now on has a place that a backup of before does not reach for a while. */
async function writeMuch(coordinator: Coordinator): Promise<void> {
  for (let count = 0; count < 50; count += 1) await coordinator.config('much').set(count);
}

function raiseTokenBase({ world, namespace }: Fixture, to: bigint): Promise<void> {
  const format = JSON.stringify({ layout: 1, tokenBase: String(to) });
  return world.operator.write(namespace, 'format', Buffer.from(format));
}

/** Everything that was granted is over, for the reason that the store went back; whoever waited has it then, and all go on. */
async function requireOver(holder: Client, held: Holdings, other: Client, waiting: Promise<Holdings>): Promise<void> {
  await eventually(() => expect(held.held).toBe(false), patienceMs);
  for (const cause of held.causes) {
    expect(cause).toMatchObject({ code: 'SESSION_LOST' });
    expect(String(cause)).toMatch(/restored/);
  }
  const next = await waiting;
  expect(held.held).toBe(false);
  expect(next.held).toBe(true);
  await other.coordinator.close();
  const [grant] = (await Holdings.take(holder.coordinator, 'a', 'again')).grants;
  expect(grant?.token).toBeGreaterThan(next.grants[0]?.token ?? 0n);
}
