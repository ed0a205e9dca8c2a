import { Backoff } from './backoff.js';
import { CoordinationError, type CoordinationErrorCode } from './errors.js';
import type { Wait } from './wait.js';

/**
 * Asks again, after a pause, whatever was not answered, until the wait is over. Only for what may be repeated: a read, or a write on
 * condition of a version, which holds once.
 *
 * @param passing failures after which it is asked again.
 */
export async function untilAnswered<T>(
  wait: Wait,
  ask: () => Promise<T>,
  passing: readonly CoordinationErrorCode[] = ['UNAVAILABLE', 'OUTCOME_UNKNOWN'],
): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await wait.race(ask());
    } catch (reason) {
      if (wait.ended || !CoordinationError.is(reason) || !passing.includes(reason.code)) throw reason;
      await wait.pause(backoff.nextMs);
    }
  }
}
