import { Observable } from 'rxjs';
import type { Context } from './context.js';

/** What a watch showed last, and whether it may be out of date. */
export interface Seen<T> {
  readonly value: T;
  /** True while the session is not connected. */
  readonly stale: boolean;
}

/**
 * What a watch shows, kept over outages and marked `stale` in them.
 *
 * Emits the first value when there is one, then every change of the value or of its mark. Completes on close; errors as the watch does.
 */
export function seen<T>({ session }: Context, watch: Observable<T>): Observable<Seen<T>> {
  return new Observable((subscriber) => {
    let shown: Seen<T> | null = null;
    const show = (value: T): void => {
      const { state } = session.state;
      // The end is told by completing.
      if (state === 'closed') return;
      const stale = state !== 'connected';
      if (shown?.value === value && shown.stale === stale) return;
      shown = { value, stale };
      subscriber.next(shown);
    };
    const watching = watch.subscribe({
      next: show,
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
    const states = session.state$.subscribe({
      next: () => {
        if (shown !== null) show(shown.value);
      },
      complete: () => subscriber.complete(),
    });
    return () => {
      watching.unsubscribe();
      states.unsubscribe();
    };
  });
}
