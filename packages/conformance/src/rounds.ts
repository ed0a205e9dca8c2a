import type { DoubleBarrier } from '@concordat/core';
import { expect } from 'vitest';
import { eventually } from './eventually.js';
import type { Fixture } from './fixture.js';
import { type StoreClient, textOf } from './store-client.js';

const looking = new WeakMap<Fixture, Promise<StoreClient>>();

/** Waits until that many are in the register. */
export async function membersOf(fixture: Fixture, count: number, name = 'a'): Promise<void> {
  const store = await lookingAt(fixture);
  await eventually(async () => {
    const text = textOf(await store.get(`double/${name}`)) ?? '{"members":[]}';
    expect((JSON.parse(text) as { members: unknown[] }).members).toHaveLength(count);
  });
}

/** All of them in and out, again and again; nobody is ever in or out of a round ahead of another. */
export async function throughRounds(participating: readonly DoubleBarrier[], rounds: number): Promise<void> {
  const entered = participating.map(() => 0);
  const left = participating.map(() => 0);
  const through = participating.map(async (participant, index) => {
    for (let round = 1; round <= rounds; round++) {
      entered[index] = round;
      await participant.enter();
      expect(Math.min(...entered)).toBe(round);
      left[index] = round;
      await participant.leave();
      expect(Math.min(...left)).toBe(round);
    }
  });
  await Promise.all(through);
}

function lookingAt(fixture: Fixture): Promise<StoreClient> {
  const store = looking.get(fixture) ?? fixture.store();
  looking.set(fixture, store);
  return store;
}
