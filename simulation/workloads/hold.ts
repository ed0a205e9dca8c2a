import { CoordinationError, type Lock } from '@concordat/core';
import type { GuardedLine, Holding } from '../checks/holding.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import { describe } from '../world/world.js';
import { granted, work } from './critical-section.js';

/** Holds as a stream: one grant at most, then an error or the end of the subscription. */
export function holdOn(
  client: Client,
  random: Random,
  line: GuardedLine,
  lock: Lock,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
): Promise<boolean> {
  const isPatient = client.world.phase === 'healed' || random.chance(0.5);
  return new Promise((resolve) => {
    let holding: Holding | null = null;
    const end = (came: boolean): void => {
      if (holding !== null) client.world.grants.released(holding);
      subscription.unsubscribe();
      resolve(came);
    };
    const subscription = lock.hold({ ...options, data: client.name }).subscribe({
      next: (grant) => {
        if (holding !== null) client.report('granted-twice', `${line.dir} by one subscription`);
        holding = granted(client, random, line, grant);
        void work(client, random, holding).then(() => end(true));
      },
      error: (error: unknown) => {
        const known =
          CoordinationError.is(error) && ['GRANT_LOST', 'NOT_HELD', 'TIMEOUT', 'CLOSED'].includes(error.code);
        const aborted = options.signal?.aborted === true && error === options.signal.reason;
        if (!known && !aborted) client.report('unexpected-error', `hold ${line.dir}: ${describe(error)}`);
        resolve(false);
      },
    });
    if (isPatient) return;
    client.later(random.spread(5, 2 * client.sessionTimeoutMs), () => {
      if (holding === null) end(false);
    });
  });
}
