import { Backoff } from './backoff.js';
import type { Context } from './context.js';
import { CoordinationError } from './errors.js';
import { EntryGrant } from './grant.js';
import type { Line } from './leaving.js';
import type { Entry, Key, Kind, Place, Ref, Rule } from './spi/backend.js';
import { type Standing, watchStanding } from './standing.js';
import type { Wait } from './wait.js';

/** A line to stand in: where, as what, and who ahead matters. */
export interface Queue extends Line {
  readonly dir: Key;
  readonly kind: Kind;
  readonly rule: Rule;
  readonly data: Uint8Array;
}

/**
 * Stands in a line until it is my turn: the one wait loop of every primitive that queues.
 *
 * Enters at the end, waits until the nearest entry ahead is gone, looks again, and is granted only on the store's word that
 * nothing is ahead *and* my own entry is there (skipping that look once granted a lock without an entry). A session loss, or my entry
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
  return { ...place, tokenBase };
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
    for (let nearest = ahead.at(-1); nearest !== undefined; nearest = ahead?.at(-1)) {
      await goneWithin(context, wait, epoch, nearest);
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
    return grantPlace(context, queue, place);
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

function goneWithin(context: Context, wait: Wait, epoch: number, ref: Ref): Promise<void> {
  return wait.callback<void>((resolve, reject) => {
    const backend = context.requests.backend();
    if (backend === null) {
      reject(new CoordinationError('UNAVAILABLE', 'the driver is not open'));
      return () => undefined;
    }
    const stopLoss = context.session.onLost(epoch, reject);
    const watch = backend.gone(ref, { touched: false }).subscribe({ next: () => resolve(undefined), error: reject });
    return () => {
      stopLoss();
      watch.unsubscribe();
    };
  });
}

function requeued(context: Context, queue: Queue, reason: CoordinationError): void {
  context.events.line({ ...lineOf(queue), type: 'requeued', entry: null, token: null, reason });
}
