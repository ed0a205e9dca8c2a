import { distinctUntilChanged, Observable } from 'rxjs';
import type { Context } from '../context.js';
import { CoordinationError, type CoordinationErrorCode } from '../errors.js';

const refusals: ReadonlySet<CoordinationErrorCode> = new Set(['UNSUPPORTED', 'BACKEND']);
const incurable: ReadonlySet<CoordinationErrorCode> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED']);

/**
 * Resolves in a namespace whose layout this version knows: values of a newer one may mean something else.
 *
 * @throws {CoordinationError} `UNSUPPORTED`, `BACKEND`; `UNAVAILABLE` when the session ended meanwhile, to be asked again in the next one.
 */
export async function requireKnownLayout({ layout, session }: Context): Promise<void> {
  try {
    await layout.tokenBase(session.state.epoch);
  } catch (reason) {
    throw outlived(reason);
  }
}

/** A request that was refused with its session wrote nothing; what depends on no session is asked for again in the next one. */
export function outlived(reason: unknown): unknown {
  if (!CoordinationError.is(reason, 'SESSION_LOST')) return reason;
  return new CoordinationError('UNAVAILABLE', 'the session ended, and nothing was written', { cause: reason });
}

/**
 * Why what is watched in this namespace cannot be understood, or `null` when it can be: looked at in each session.
 *
 * Emits first when a session of this coordinator has looked. Errors for `UNAUTHENTICATED` and `PERMISSION_DENIED`, completes on close.
 */
export function layoutRefusals({ layout, session }: Context): Observable<CoordinationError | null> {
  return new Observable<CoordinationError | null>((subscriber) => {
    const failed = (reason: unknown): void => {
      if (!CoordinationError.is(reason)) return;
      if (incurable.has(reason.code)) subscriber.error(reason);
      else if (refusals.has(reason.code)) subscriber.next(reason);
    };
    if (layout.known) subscriber.next(null);
    return session.state$.subscribe({
      next: ({ state, epoch }) => {
        if (state === 'connected') layout.tokenBase(epoch).then(() => subscriber.next(null), failed);
      },
      complete: () => subscriber.complete(),
    });
  }).pipe(distinctUntilChanged());
}
