import { merge } from 'rxjs';
import { Backoff } from '../backoff.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import { pause } from '../pause.js';
import type { Entry, Key, Kind, Place, Ref, Rule } from '../spi/backend.js';
import type { Wait } from '../wait.js';
import { EntryGrant } from './grant.js';
import type { Line } from './leaving.js';
import { type Standing, watchStanding } from './standing.js';

/** A line to stand in: where, as what, and who ahead matters. */
export interface Queue extends Line {
  readonly dir: Key;
  readonly kind: Kind;
  /** Who ahead matters; with `permits`, its limit is one more than those. */
  readonly rule: Rule;
  readonly data: Uint8Array;
  /** How many may be in at once, where more than one kind of wait is needed for it: a semaphore. */
  readonly permits?: number;
}

/**
 * Stands in a line until it is my turn: the one wait loop of every primitive that queues.
 *
 * Enters at the end, waits until the nearest entry ahead is gone (where several may be in at once: gone, or in), looks again, and is granted only on the store's word that
 * it is my turn *and* my own entry is there (skipping that look once granted a lock without an entry). A session loss, or my entry
 * deleted by hand, before the grant costs the place only: it enters again. Whatever else ends the wait leaves no entry behind.
 */
export async function waitForTurn(context: Context, queue: Queue, wait: Wait, standing: Standing): Promise<EntryGrant> {
  const backoff = new Backoff();
  for (;;) {
    const epoch = await wait.connected();
    try {
      const grant = await stand(context, queue, wait, epoch, standing);
      if (grant !== null) return grant;
      requeued(context, queue, new CoordinationError('NOT_FOUND', 'its entry was deleted by hand'));
    } catch (reason) {
      if (wait.ended || !CoordinationError.is(reason) || !reason.retryable) throw wait.reasonOver(reason);
      requeued(context, queue, reason);
      if (reason.code === 'UNAVAILABLE') await wait.pause(backoff.nextMs);
    }
  }
}

/** My place in a line, and what makes its creation a token. */
export interface Standpoint extends Place {
  readonly tokenBase: bigint;
}

/** Enters once, at the end of the line. */
export async function enterLine(context: Context, queue: Queue, wait: Wait, epoch: number): Promise<Standpoint> {
  const { requests, leaving, session, events } = context;
  const tokenBase = await wait.race(context.layout.tokenBase(epoch));
  session.check(epoch);
  const backend = requests.backend();
  if (backend === null) throw new CoordinationError('UNAVAILABLE', 'the driver is not open');
  const onBehalf = {
    epoch,
    get signal(): AbortSignal {
      return wait.signal;
    },
  };
  const entering = leaving.track(backend.enter(queue.dir, queue.kind, queue.data, queue.rule, onBehalf));
  // The caller may be gone long before the outcome is certain; a place that comes late is left.
  const place = await wait.race(entering, (late) => void leaving.leave(lineOf(queue), late.entry));
  events.line({ ...lineOf(queue), type: 'entry-created', entry: place.entry.name, token: null, reason: null });
  const other = queue.permits === undefined ? undefined : place.ahead.find(({ kind }) => kind !== queue.kind);
  if (other === undefined) return { ...place, tokenBase };
  void leaving.leave(lineOf(queue), place.entry);
  throw disagreement(queue, other);
}

/** Whether nobody who matters is in the way. */
export function isTurn({ permits = 1 }: Queue, ahead: readonly Ref[]): boolean {
  return ahead.length < permits;
}

/** Turns a place at the head of the line into a grant, unless the session is over by the clock. */
export function grantPlace(context: Context, queue: Queue, { entry, tokenBase }: Standpoint): EntryGrant {
  context.session.check(entry.epoch);
  return new EntryGrant(context, lineOf(queue), entry, tokenBase + entry.created);
}

function lineOf({ primitive, name }: Queue): Line {
  return { primitive, name };
}

async function stand(
  context: Context,
  queue: Queue,
  wait: Wait,
  epoch: number,
  standing: Standing,
): Promise<EntryGrant | null> {
  const place = await enterLine(context, queue, wait, epoch);
  const { entry } = place;
  const stopWatching = watchStanding(context, wait, entry, standing);
  try {
    let ahead: readonly Ref[] | null = place.ahead;
    while (ahead !== null && !isTurn(queue, ahead)) {
      await changeWithin(context, wait, epoch, changesOf(queue, ahead));
      context.events.line({ ...lineOf(queue), type: 'watch-fired', entry: entry.name, token: null, reason: null });
      ahead = await lookAhead(context, queue, wait, entry);
    }
    if (ahead === null) {
      // Harmless when it is gone indeed; should a lagging server have said so, it must not stand beside the next one.
      void context.leaving.leave(lineOf(queue), entry);
      await wait.race(context.requests.read((backend, call) => backend.confirm(call), epoch));
      return null;
    }
    wait.check();
    const grant = grantPlace(context, queue, place);
    if (queue.permits !== undefined && ahead !== place.ahead) admitted(context, queue, entry);
    return grant;
  } catch (reason) {
    if (!(CoordinationError.is(reason) && reason.retryable))
      context.events.line({ ...lineOf(queue), type: 'gave-up', entry: entry.name, token: null, reason });
    void context.leaving.leave(lineOf(queue), entry);
    throw reason;
  } finally {
    stopWatching();
  }
}

// A read that failed is asked again within the same session: my place in the line stands as long as my entry does.
async function lookAhead(context: Context, queue: Queue, wait: Wait, entry: Entry): Promise<readonly Ref[] | null> {
  const backoff = new Backoff();
  for (;;) {
    try {
      const asked = context.requests.read((backend, call) => backend.ahead(entry, queue.rule, call), entry.epoch);
      return await wait.race(asked);
    } catch (reason) {
      if (wait.ended || !CoordinationError.is(reason, 'UNAVAILABLE')) throw reason;
      await wait.pause(backoff.nextMs);
      context.session.check(entry.epoch);
    }
  }
}

/** What may make it my turn: of these entries one is gone, or `touched`. */
interface Changes {
  readonly refs: readonly Ref[];
  readonly touched: boolean;
}

// Behind another waiter I wait for him to leave or to get in, which he says by touching his entry; first of all who wait, I watch
// everybody who is in. So a release tells one, and he tells the next.
function changesOf({ permits = 1 }: Queue, ahead: readonly Ref[]): Changes {
  if (permits > 1 && ahead.length <= permits) return { refs: ahead, touched: false };
  return { refs: ahead.slice(-1), touched: permits > 1 };
}

// Nobody waits for it: whoever is next goes on when it is done, and stands in line meanwhile.
function admitted(context: Context, queue: Queue, entry: Entry): void {
  if (queue.permits === 1) return;
  void context.leaving.track(tellNext(context, queue, entry));
}

async function tellNext(context: Context, queue: Queue, entry: Entry): Promise<void> {
  const { session, requests, clock } = context;
  const backoff = new Backoff();
  while (!session.closed && session.epoch === entry.epoch) {
    try {
      return await requests.write((backend, call) => backend.update(entry, queue.data, call), entry.epoch);
    } catch (reason) {
      // Released or lost in the meantime: that tells the next one, too.
      if (CoordinationError.is(reason, 'GRANT_LOST') || CoordinationError.is(reason, 'SESSION_LOST')) return;
      await pause(session, clock, backoff.nextMs);
    }
  }
}

function changeWithin(context: Context, wait: Wait, epoch: number, { refs, touched }: Changes): Promise<void> {
  return wait.callback<void>((resolve, reject) => {
    const backend = context.requests.backend();
    if (backend === null) {
      reject(new CoordinationError('UNAVAILABLE', 'the driver is not open'));
      return () => undefined;
    }
    const stopLoss = context.session.onLost(epoch, reject);
    const watch = merge(...refs.map((ref) => backend.gone(ref, { touched }))).subscribe({
      next: () => resolve(undefined),
      error: reject,
    });
    return () => {
      stopLoss();
      watch.unsubscribe();
    };
  });
}

function disagreement({ name, permits }: Queue, { kind }: Ref): CoordinationError {
  const others = kind?.startsWith('lease:') === true ? `${kind.slice(6)} permits` : 'something else';
  const message = `semaphore "${name}" was asked for with ${String(permits)} permits, while somebody ahead counts ${others}`;
  return new CoordinationError('CONFLICT', message);
}

function requeued(context: Context, queue: Queue, reason: CoordinationError): void {
  context.events.line({ ...lineOf(queue), type: 'requeued', entry: null, token: null, reason });
}
