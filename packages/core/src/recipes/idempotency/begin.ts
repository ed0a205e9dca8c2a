import type { Context } from '../../context.js';
import { CoordinationError } from '../../errors.js';
import type { Standing } from '../../lines/standing.js';
import { waitForTurn } from '../../lines/turn.js';
import type { Register } from '../../spi/backend.js';
import { untilAnswered } from '../../until-answered.js';
import { inKnownLayout } from '../../values/known-layout.js';
import type { Wait } from '../../wait.js';
import { Intent, type Met, notOurs } from './intent.js';
import type { KeyPlace } from './places.js';
import { isRecorded, type Recorded, recordOf } from './record.js';

/** Work that was begun. */
export interface Running<T> {
  readonly outcome: Promise<T>;
}

/**
 * Answers the recorded result of a key, or begins its work, in the very turn in which its lock was looked at: it is held, and nobody ran the work before
 * who was not withdrawn, unless `consent` is given.
 *
 * A session loss, or an entry deleted by hand, before that costs the place only: it goes on at the end of the line. Whatever else ends
 * it is followed by a clean-up behind the caller.
 */
export async function begin<T>(
  context: Context,
  place: KeyPlace,
  consent: boolean,
  wait: Wait,
  standing: Standing,
  start: (intent: Intent) => Promise<T>,
): Promise<Recorded | Running<T>> {
  const register = await firstLook(context, place, wait);
  const found = recordOf(register);
  if (isRecorded(found)) return found;
  if (register !== null && found === null) throw notOurs(place);
  const intents: Intent[] = [];
  try {
    for (;;) {
      const grant = await waitForTurn(context, place.queue, wait, standing);
      const intent = new Intent(context, place, grant);
      intents.push(intent);
      const begun = await claim(context, intents, intent, consent, wait, start);
      if (begun !== 'lost') return begun;
    }
  } catch (reason) {
    void context.leaving.track(undo(intents));
    throw reason;
  }
}

/** The work, or what was recorded before; `lost` when the lock was lost before the work began. */
async function claim<T>(
  { leaving }: Context,
  intents: readonly Intent[],
  intent: Intent,
  consent: boolean,
  wait: Wait,
  start: (intent: Intent) => Promise<T>,
): Promise<Recorded | Running<T> | 'lost'> {
  // Of an earlier turn of this very call, which never ran; or, by consent, of somebody who had the lock before.
  const judge = (token: bigint): Met => {
    const own = intents.find((each) => each.token === token);
    if (own !== undefined) return own.overInterruption ? 'may-have-run' : 'never-ran';
    return consent && token < intent.token ? 'may-have-run' : 'stands';
  };
  try {
    const recorded = await wait.race(leaving.track(intent.claim(judge)));
    if (recorded === null && intent.held) return { outcome: start(intent) };
    void intent.grant.release();
    return recorded ?? 'lost';
  } catch (reason) {
    const lost = CoordinationError.is(reason, 'SESSION_LOST') || CoordinationError.is(reason, 'GRANT_LOST');
    if (wait.ended || !lost) throw reason;
    void intent.grant.release();
    return 'lost';
  }
}

// Most calls of a gate are for what is recorded already: without a lock, and without a write.
function firstLook(context: Context, { register }: KeyPlace, wait: Wait): Promise<Register | null> {
  const look = inKnownLayout(context, (backend, call) => backend.get(register, 'linearizable', call));
  return untilAnswered(wait, () => context.requests.read(look), ['UNAVAILABLE', 'SESSION_LOST']);
}

// The lock last, so that nobody takes an intent that never ran for an interruption.
async function undo(intents: readonly Intent[]): Promise<void> {
  for (const intent of intents) await intent.withdraw();
  for (const { grant } of intents) await grant.release();
}
