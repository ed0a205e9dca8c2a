import { Observable } from 'rxjs';
import type { Clock } from './clock.js';

/**
 * `source`, subscribed to only after `delayMs` on the clock: for a watch that costs a request and is mostly given up before.
 * Unsubscribing before costs nothing; otherwise it emits, errors and completes as `source` does.
 */
export function delayed<T>(clock: Clock, delayMs: number, source: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const timer = clock.setTimer(() => subscriber.add(source.subscribe(subscriber)), delayMs);
    return () => timer.cancel();
  });
}
