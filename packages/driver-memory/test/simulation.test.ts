import { CoordinationError } from '@concordat/core/spi';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import { bytes, Client } from './client.js';
import { ManualClock } from './manual-clock.js';

/** Numbers in [0, 1) that depend on the seed alone (xorshift). */
function randomFrom(seed: number): () => number {
  let state = (seed + 1) * 2_654_435_761;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

interface Run {
  readonly history: readonly string[];
  readonly entered: number;
  readonly left: readonly string[];
  readonly pendingTimers: number;
}

/** Three clients go in and out of one line while each message takes its own time and links break. */
async function simulate(seed: number): Promise<Run> {
  const random = randomFrom(seed);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock, deliver: (callback) => clock.setTimer(callback, random() * 40) });
  const clients = [0, 1, 2].map(() => new Client(store, clock, 4_000));
  const history: string[] = [];
  let entered = 0;
  let running = true;

  async function work(client: Client, index: number): Promise<void> {
    while (running) {
      try {
        const epoch = await client.session.connected();
        const context = { epoch, signal: new AbortController().signal };
        const { entry } = await client.backend.enter('lock/a', 'lock', bytes('1'), { limit: 1 }, context);
        entered++;
        history.push(`${index} entered at ${entry.created}`);
        await client.backend.leave(entry, client.call());
      } catch (error) {
        if (!CoordinationError.is(error)) throw error;
        history.push(`${index} ${error.code}`);
        // A leave whose outcome is unknown: the session is ended, and its entries with it.
        if (error.code === 'OUTCOME_UNKNOWN') store.expireSession(client.id);
      }
    }
  }

  const done = clients.map(work);
  for (let step = 0; step < 60; step++) {
    const link = clients[Math.floor(random() * clients.length)]?.link;
    const faults = [
      () => link?.flap(),
      () => link?.blackhole(),
      () => link?.swallowReplies(),
      () => link?.holdRequests(),
      // What was held arrives late, after the client has come back on another connection.
      () => {
        const deliver = link?.parkHeld();
        clock.setTimer(() => void deliver?.(), random() * 1_000);
      },
      () => link?.heal(),
    ];
    faults[Math.floor(random() * faults.length)]?.();
    await clock.advance(random() * 400);
  }
  running = false;
  for (const { link } of clients) link.heal();
  await clock.advance(10_000);
  await Promise.all(done);
  const left = store.entries('app/lock/a');
  const closings = clients.map((client) => {
    client.session.close();
    return client.backend.close(1_000);
  });
  await clock.advance(10_000);
  await Promise.all(closings);
  history.push(...clients.flatMap(({ phases }) => phases), `revision ${store.revision}`);
  return { history, entered, left, pendingTimers: clock.pending };
}

describe('a simulation on the memory store', () => {
  it('leaves no entry and no timer behind, whatever the links do', async () => {
    for (let seed = 0; seed < 10; seed++) {
      const { entered, left, pendingTimers } = await simulate(seed);
      expect({ seed, left, pendingTimers }).toEqual({ seed, left: [], pendingTimers: 0 });
      expect(entered).toBeGreaterThan(20);
    }
  });

  it('is repeated exactly by its seed', async () => {
    const [first, second, other] = [await simulate(7), await simulate(7), await simulate(8)];
    expect(second.history).toEqual(first.history);
    expect(other.history).not.toEqual(first.history);
  });
});
