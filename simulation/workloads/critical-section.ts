import type { Grant } from '@concordat/core';
import type { GuardedLine, Holding } from '../checks/holding.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import { duration, longDuration } from './workload.js';

/** Notes a grant; most holders listen to its signal, and some of them react in the very turn of a loss. */
export function granted(client: Client, random: Random, line: GuardedLine, grant: Grant, mayRelease = true): Holding {
  const listens = random.chance(0.8);
  const holding = client.world.grants.granted(line, client, grant, listens);
  client.note(`granted ${line.dir} ${grant.token}`);
  if (listens && mayRelease && random.chance(0.3))
    grant.signal.addEventListener('abort', () => void grant.release(), { once: true });
  return holding;
}

/**
 * What a holder does: asks now and then whether it still holds, and writes to what is guarded as long as it does. Each write arrives
 * later, as that of a process which was paused in between.
 */
export async function work(client: Client, random: Random, holding: Holding): Promise<void> {
  const { grants, scheduler } = client.world;
  const alone = holding.line.permits === 1 && holding.line.excludes(holding.kind, holding.kind);
  for (let turns = random.whole(0, 3); turns > 0; turns--) {
    await client.sleep(holding.line.permits > 1 ? longDuration(client, random) : duration(client, random));
    if (!grants.believes(holding)) return;
    if (alone) {
      const resource = grants.resource(holding.line);
      scheduler.plan(random.spread(0.1, 2_000), null, 'write arrives', () => resource.write(holding));
    }
  }
}

/** Gives a grant back, and waits for it or not; what is given back is not in the store any more, or its session is over. */
export async function giveBack(client: Client, random: Random, holding: Holding): Promise<void> {
  const { grants } = client.world;
  grants.released(holding);
  const released = client.bounded('release', 2 * client.sessionTimeoutMs, holding.grant.release());
  if (random.chance(0.2)) return;
  await released;
  // A session that was lost here may be held by the store for a while.
  if (client.session === holding.session && !client.closing && grants.standing(holding))
    client.report('released-and-there', `${holding.title} in session ${client.session ?? ''}`);
}
