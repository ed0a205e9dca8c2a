import { defer, distinctUntilChanged, filter, map, Observable, startWith } from 'rxjs';
import type { Context } from './context.js';
import { CoordinationError, type CoordinationErrorCode } from './errors.js';

const refusals: ReadonlySet<CoordinationErrorCode> = new Set(['UNSUPPORTED', 'BACKEND']);
const incurable: ReadonlySet<CoordinationErrorCode> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED']);

/** The namespace's token base, in each session that could read it. As {@link layoutStates} in everything else. */
export function tokenBases(context: Context): Observable<bigint> {
  return layoutStates(context).pipe(
    filter((state) => typeof state === 'bigint'),
    distinctUntilChanged(),
  );
}

/** Why what is watched in this namespace cannot be understood, or `null` when it can be. As {@link layoutStates} in everything else. */
export function layoutRefusals(context: Context): Observable<CoordinationError | null> {
  const refusals$ = layoutStates(context).pipe(map((state) => (typeof state === 'bigint' ? null : state)));
  // What an earlier session found is shown in an outage, too.
  return defer(() => (context.layout.known ? refusals$.pipe(startWith(null)) : refusals$)).pipe(distinctUntilChanged());
}

// Read once per session, and again where it was refused. Where that fails for another reason it is read in the next one, and what was shown stays.
// Errors for `UNAUTHENTICATED` and `PERMISSION_DENIED`, completes on close.
function layoutStates({ session, layout }: Context): Observable<bigint | CoordinationError> {
  return new Observable((subscriber) => {
    const failed = (reason: unknown): void => {
      if (!CoordinationError.is(reason)) return;
      if (incurable.has(reason.code)) subscriber.error(reason);
      else if (refusals.has(reason.code)) subscriber.next(reason);
    };
    subscriber.add(layout.onMended((base) => subscriber.next(base)));
    return session.state$.subscribe({
      next: ({ state, epoch }) => {
        if (state === 'connected') layout.tokenBase(epoch).then((base) => subscriber.next(base), failed);
      },
      complete: () => subscriber.complete(),
    });
  });
}
