import type { Observable } from 'rxjs';
import type { Context } from './context.js';
import type { Wait } from './wait.js';

/**
 * Waits for the first value of a stream, within one session.
 *
 * @throws {CoordinationError} what the stream or the loss of the session says, and what ends the wait.
 */
export function firstOf<T>({ session }: Context, wait: Wait, epoch: number, values: Observable<T>): Promise<T> {
  return wait.callback<T>((resolve, reject) => {
    const stopLoss = session.onLost(epoch, reject);
    const watching = values.subscribe({ next: resolve, error: reject });
    return () => {
      stopLoss();
      watching.unsubscribe();
    };
  });
}
