import { map, merge, Observable } from 'rxjs';
import type { Context } from '../../context.js';
import { CoordinationError } from '../../errors.js';
import type { Line } from '../../event-log.js';
import { firstOf } from '../../first-of.js';
import { askInLine } from '../../lines/asking.js';
import { Standing } from '../../lines/standing.js';
import { enterLine, overSessions, type Standpoint } from '../../lines/turn.js';
import type { Key, Kind, Place, Ref } from '../../spi/backend.js';
import type { Wait } from '../../wait.js';

/** Who wants to be a member, and where. */
export interface Candidate extends Line {
  readonly dir: Key;
  readonly kind: Kind;
  readonly id: string;
}

/** How to enter. */
export interface Entering {
  /** What to say of oneself; asked anew for every try. */
  readonly data: () => Uint8Array;
  /**
   * Whether to wait, up to a session timeout, for somebody else who has the id to go. Whoever was a member and comes back must: another may
   * have met the entry of his old session, and be about to leave again.
   */
  readonly patient: boolean;
}

/** An entry that has its id for itself, and the data it says. */
export interface Joined extends Standpoint {
  readonly data: Uint8Array;
}

// All who are ahead with this id: asked for at once, since only the oldest tells whose it is. Usually there is none.
const everybodyAhead = 10_000;

/**
 * Enters as the only one with this id, over as many sessions as it takes; a failure is told as `gave-up`.
 *
 * What an earlier session of this coordinator left is not in the way: it goes by itself.
 *
 * @throws {CoordinationError} `ALREADY_EXISTS` when somebody else has the id.
 */
export function enterGroup(context: Context, candidate: Candidate, wait: Wait, entering: Entering): Promise<Joined> {
  const standing = new Standing(candidate);
  return overSessions(context, candidate, wait, standing, (epoch) =>
    enterOnce(context, candidate, wait, entering, epoch, standing),
  );
}

async function enterOnce(
  context: Context,
  candidate: Candidate,
  wait: Wait,
  { data: dataNow, patient }: Entering,
  epoch: number,
  standing: Standing,
): Promise<Joined> {
  const data = dataNow();
  const queue = { ...candidate, data, rule: { of: candidate.kind, limit: everybodyAhead } };
  const place = await enterLine(context, queue, wait, epoch);
  standing.entry = place.entry.name;
  try {
    await outlast(context, candidate, wait, place, patient);
    wait.check();
    context.session.check(epoch);
    return { ...place, data };
  } catch (reason) {
    const leaving = context.leaving.leave(candidate, place.entry);
    // Who is told that the id is taken is not in the way of the next one himself; should the store stop answering now, that goes on behind.
    if (CoordinationError.is(reason, 'ALREADY_EXISTS')) await wait.race(leaving).catch(() => undefined);
    throw reason;
  }
}

/** Resolves when nobody ahead has the id any more. */
async function outlast(
  context: Context,
  candidate: Candidate,
  wait: Wait,
  { entry, ahead }: Place,
  patient: boolean,
): Promise<void> {
  const { clock, session, ownSessions } = context;
  const until = clock.now() + (patient ? session.state.timeoutMs : 0);
  for (const ref of ahead) {
    const key = `${ref.dir}/${ref.name}`;
    const found = await askInLine(context, wait, entry.epoch, (backend, call) =>
      backend.get(key, 'linearizable', call),
    );
    // The name may be another entry's by now, which is behind.
    const isThat = ref.created === null || found?.created === ref.created;
    const owner = isThat ? (found?.owner ?? null) : null;
    const mine = owner === session.state.id;
    if (owner === null || (ownSessions.has(owner) && !mine)) continue;
    // Of this session it can only be one that was given up, and is about to go: whoever stands is known before anything is sent.
    const limitMs = mine ? null : until - clock.now();
    const gone = limitMs !== null && limitMs <= 0 ? false : await goneWithin(context, wait, entry.epoch, ref, limitMs);
    if (!gone) throw taken(candidate);
  }
}

/** @param limitMs in milliseconds; `null` for as long as the wait. */
function goneWithin(context: Context, wait: Wait, epoch: number, ref: Ref, limitMs: number | null): Promise<boolean> {
  const gone = context.requests
    .opened()
    .gone(ref, { touched: false })
    .pipe(map(() => true));
  return firstOf(context, wait, epoch, limitMs === null ? gone : merge(gone, falseAfter(context, limitMs)));
}

function falseAfter({ clock }: Context, ms: number): Observable<false> {
  return new Observable((subscriber) => {
    const timer = clock.setTimer(() => subscriber.next(false), ms, true);
    return () => timer.cancel();
  });
}

/** Refuses an id that somebody has. */
export function taken({ name, id }: Pick<Candidate, 'name' | 'id'>): CoordinationError {
  return new CoordinationError('ALREADY_EXISTS', `group "${name}" has a member "${id}" already`);
}
