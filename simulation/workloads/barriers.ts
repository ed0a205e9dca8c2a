import { json } from '@concordat/core';
import { RegisterHistory } from '../checks/register-history.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { Fact } from '../world/store-truth.js';
import type { World } from '../world/world.js';
import { duration, type Workload } from './workload.js';

interface Barrier {
  readonly round: number;
  readonly closed: boolean;
}

/** One barrier that some close and open again, while others wait. */
export function barriers(world: World): Workload {
  const history: RegisterHistory<Barrier> = new RegisterHistory(world, 'barrier', 'b', barrierOf);
  return {
    name: 'barrier',
    step: async (client, random) => {
      if (random.chance(0.5)) return ask(client, random, 'wait', history);
      let isDone = true;
      // The next round is often closed before those who waited for the last one have looked.
      for (let rounds = random.whole(1, 2); rounds > 0; rounds--) {
        const closed = await ask(client, random, 'close', history);
        await client.sleep(duration(client, random));
        isDone = (await ask(client, random, 'open', history)) && closed;
      }
      return isDone;
    },
  };
}

/** What was answered has to have been so at some moment of the call. */
async function ask(
  client: Client,
  random: Random,
  what: 'close' | 'open' | 'wait',
  history: RegisterHistory<Barrier>,
): Promise<boolean> {
  const { scheduler, phase } = client.world;
  const since = scheduler.now;
  const timeoutMs =
    phase === 'healed' ? 2 * client.sessionTimeoutMs : Math.round(random.spread(20, 2 * client.sessionTimeoutMs));
  const barrier = client.coordinator.barrier('b');
  const asking = client.bounded(what, timeoutMs, barrier[what]({ timeoutMs }));
  const outcome = await client.attempt(what, ['TIMEOUT'], asking);
  // Whoever gave up was not told at all; while things go wrong that may be for a fault.
  if (what === 'wait' && ('value' in outcome || phase === 'healed')) checkWoken(client, since, history);
  if (!('value' in outcome)) return what === 'wait';
  const wasSo = history.since(since).some(({ state }) => (state?.closed ?? false) === (what === 'close'));
  if (!wasSo) client.report('passed-by-mistake', `${what} is answered, and it was never so`);
  return true;
}

/** Whoever waits passes soon after the round that it saw was opened, also when the next one is closed at once. */
function checkWoken(client: Client, since: number, history: RegisterHistory<Barrier>): void {
  const { connected, settledMs, wire, world } = client;
  const lookedMs = Math.max(since + 2 * wire.longestMs, settledMs);
  const opened = history.since(lookedMs).find(({ state, fromMs }) => state?.closed === false && fromMs > lookedMs);
  if (opened === undefined || !connected) return;
  const lateMs = world.scheduler.now - opened.fromMs;
  if (lateMs > 300 + 8 * wire.longestMs) client.report('left-waiting', `it was opened ${lateMs.toFixed(0)} ms before`);
}

function barrierOf({ value }: Fact): Barrier {
  return Object(json.decode(value)) as Barrier;
}
