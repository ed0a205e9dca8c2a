import { Backoff } from '../backoff.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { EventLog, Line } from '../event-log.js';
import { firstOf } from '../first-of.js';
import type { Place, Ref } from '../spi/backend.js';
import type { Wait } from '../wait.js';
import { askInLine } from './asking.js';
import { EntryGrant } from './grant.js';
import { changeOf, isTurn, requireAgreement, tellNext } from './permits.js';
import { lineOf, type Queue } from './queue.js';
import { type Standing, watchStanding } from './standing.js';

/**
 * Stands in a line until it is my turn: the one wait loop of every primitive that queues.
 *
 * Enters at the end, waits until the nearest entry ahead is gone (where several may be in at once: gone, or in), looks again, and is granted only on the store's word that
 * it is my turn *and* my own entry is there (skipping that look once granted a lock without an entry). A session loss, or my entry
 * deleted by hand, before the grant costs the place only: it enters again. Whatever else ends the wait leaves no entry behind.
 */
export function waitForTurn(context: Context, queue: Queue, wait: Wait, standing: Standing): Promise<EntryGrant> {
  return overSessions(context, queue, wait, standing, (epoch) => stand(context, queue, wait, epoch, standing));
}

/**
 * Stands in a line over as many sessions as it takes; what ends it otherwise is told as `gave-up`.
 *
 * @param stand enters once, within one session, and leaves nothing when it fails; `null` when its entry was deleted by hand.
 */
export async function overSessions<T>(
  context: Context,
  line: Line,
  wait: Wait,
  standing: Standing,
  stand: (epoch: number) => Promise<T | null>,
): Promise<T> {
  const backoff = new Backoff();
  try {
    for (;;) {
      const epoch = await wait.connected();
      try {
        const granted = await stand(epoch);
        if (granted !== null) return granted;
        requeued(context, line, standing, new CoordinationError('NOT_FOUND', 'its entry was deleted by hand'));
      } catch (reason) {
        if (wait.ended || !CoordinationError.is(reason) || !reason.retryable) throw wait.reasonOver(reason);
        requeued(context, line, standing, reason);
        if (reason.code === 'UNAVAILABLE') await wait.pause(backoff.nextMs);
      }
    }
  } catch (reason) {
    gaveUp(context, line, wait, standing.entry, reason);
    throw reason;
  }
}

/** Tells that a wait ended without a grant; `reason` is `null` for a try that found somebody in the line. */
export function gaveUp({ events }: Context, line: Line, wait: Wait, entry: string | null, reason: unknown): void {
  const waitedMs = events.now() - wait.startedAt;
  events.line(line, { type: 'gave-up', entry, token: null, reason, waitedMs });
}

/** My place in a line, and what makes its creation a token. */
export interface Standpoint extends Place {
  readonly tokenBase: bigint;
  /** When the caller began to wait, on `performance.now()`. */
  readonly since: number;
}

/** Enters once, at the end of the line. */
export async function enterLine(context: Context, queue: Queue, wait: Wait, epoch: number): Promise<Standpoint> {
  const { requests, leaving, session, events } = context;
  const tokenBase = await wait.race(context.layout.tokenBase(epoch));
  session.check(epoch);
  const backend = requests.opened();
  const onBehalf = {
    epoch,
    get signal(): AbortSignal {
      return wait.signal;
    },
  };
  const entering = leaving.track(backend.enter(queue.dir, queue.kind, queue.data, queue.rule, onBehalf));
  if (events.observed) logEntering(events, entering);
  // The caller may be gone long before the outcome is certain; a place that comes late is left.
  const place = await wait.race(entering, (late) => void leaving.leave(queue, late.entry));
  events.line(queue, { type: 'entry-created', entry: place.entry.name, token: null, reason: null });
  const { entry, ahead, atCreation = false } = place;
  return { entry, ahead, atCreation, tokenBase, since: wait.startedAt };
}

/** Turns a place at the head of the line into a grant, unless the session is over by the clock. */
export function grantPlace(context: Context, queue: Queue, place: Standpoint): EntryGrant {
  const { entry, tokenBase, since } = place;
  context.session.check(entry.epoch);
  const grant = new EntryGrant(context, lineOf(queue), entry, tokenBase + entry.created, since);
  tellNext(context, queue, place);
  return grant;
}

function logEntering(events: EventLog, entering: Promise<unknown>): void {
  const startedAt = events.now();
  entering.then(
    () => events.request('enter', startedAt, null),
    (reason: unknown) => events.request('enter', startedAt, { reason }),
  );
}

async function stand(
  context: Context,
  queue: Queue,
  wait: Wait,
  epoch: number,
  standing: Standing,
): Promise<EntryGrant | null> {
  let place = await enterLine(context, queue, wait, epoch);
  const { entry } = place;
  standing.entry = entry.name;
  const backoff = new Backoff();
  const stopWatching = watchStanding(context, wait, entry, standing);
  try {
    while (!isTurn(queue, place.ahead)) {
      await requireAgreement(context, queue, wait, place);
      await firstOf(context, wait, epoch, changeOf(context.requests.opened(), queue, place));
      context.events.line(queue, { type: 'watch-fired', entry: entry.name, token: null, reason: null });
      const ahead = await askInLine(context, wait, epoch, (backend, call) => backend.ahead(entry, queue.rule, call));
      if (ahead === null) {
        // Harmless when it is gone indeed; should a lagging server have said so, it must not stand beside the next one.
        void context.leaving.leave(queue, entry);
        await wait.race(context.requests.read((backend, call) => backend.confirm(call), epoch));
        return null;
      }
      // Somebody wrote to the entry ahead by hand, say: told of it again at once, for as long as that one waits.
      if (isSame(ahead, place.ahead)) await wait.pause(backoff.nextMs);
      place = { ...place, ahead, atCreation: false };
    }
    wait.check();
    return grantPlace(context, queue, place);
  } catch (reason) {
    void context.leaving.leave(queue, entry);
    throw reason;
  } finally {
    stopWatching();
  }
}

function isSame(one: readonly Ref[], other: readonly Ref[]): boolean {
  const same = (ref: Ref, index: number): boolean => {
    const there = other[index];
    return ref.name === there?.name && ref.created === there.created;
  };
  return one.length === other.length && one.every(same);
}

// What stood for it is told along.
function requeued({ events }: Context, line: Line, standing: Standing, reason: CoordinationError): void {
  events.line(line, { type: 'requeued', entry: standing.entry, token: null, reason });
  standing.entry = null;
}
