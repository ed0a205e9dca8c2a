import type { Context } from '../../context.js';
import { Standing } from '../../lines/standing.js';
import { waitForTurn } from '../../lines/turn.js';
import type { Key } from '../../spi/backend.js';
import { untilAnswered } from '../../until-answered.js';
import { inKnownLayout } from '../../values/known-layout.js';
import type { Wait } from '../../wait.js';
import { inFlight } from './in-flight.js';
import type { OncePlaces, Shard } from './places.js';
import { type OnceRecord, recordOf } from './record.js';

/** More than clocks differ by. A record counts as long as it is there, so a late sweep does no harm. */
const slackMs = 3_600_000;
const shardsAtATime = 8;
const recordsAtATime = 8;

/** Names of the records in a shard. */
export function segmentsOf(context: Context, { dir }: Shard, wait: Wait): Promise<readonly string[]> {
  const list = inKnownLayout(context, (backend, call) => backend.children(dir, call));
  return untilAnswered(wait, () => context.requests.read(list), ['SESSION_LOST']);
}

/** Removes the expired records of a gate, and answers how many. */
export async function sweepAll(context: Context, places: OncePlaces, wait: Wait): Promise<number> {
  let removed = 0;
  await inFlight(places.shards(), shardsAtATime, (shard) =>
    sweepShard(context, shard, wait, () => {
      removed += 1;
    }),
  );
  return removed;
}

/**
 * Removes the expired records of a shard. Nothing is written where there is none.
 *
 * The shard's lock keeps sweepers apart. It need not keep a sweeper from those who run: they replace a record only by another one, on
 * condition of its version, as the sweeper removes it.
 */
async function sweepShard(context: Context, shard: Shard, wait: Wait, removed: () => void): Promise<void> {
  const keys = (await segmentsOf(context, shard, wait)).map((segment) => `${shard.dir}/${segment}`);
  const expired: Key[] = [];
  await inFlight(keys, recordsAtATime, async (key) => {
    if (await looksExpired(context, key, wait)) expired.push(key);
  });
  if (expired.length === 0) return;
  const grant = await waitForTurn(context, shard.queue, wait, new Standing(shard.queue));
  try {
    grant.assertHeld();
    const { epoch } = context.session;
    await inFlight(expired, recordsAtATime, async (key) => {
      if (await remove(context, key, wait, epoch)) removed();
    });
  } finally {
    void grant.release();
  }
}

// Looked at once more under the lock, so this read may be a cheap one.
async function looksExpired({ requests }: Context, key: Key, wait: Wait): Promise<boolean> {
  const register = await wait.race(requests.read((backend, call) => backend.get(key, 'session', call)));
  return isExpired(recordOf(register));
}

async function remove({ requests }: Context, key: Key, wait: Wait, epoch: number): Promise<boolean> {
  const register = await wait.race(requests.read((backend, call) => backend.get(key, 'linearizable', call), epoch));
  if (register === null || !isExpired(recordOf(register))) return false;
  const { version: expect } = register;
  const answer = await untilAnswered(wait, () =>
    requests.write((backend, call) => backend.delete(key, { expect }, call), epoch),
  );
  // Somebody ran it meanwhile.
  if (!answer.deleted && answer.current !== null) return false;
  await untilAnswered(wait, () => requests.write((backend, call) => backend.purge(key, call), epoch));
  return true;
}

function isExpired(record: OnceRecord | null): boolean {
  return record !== null && record.state !== 'intent' && Date.now() > record.expiresAt + slackMs;
}
