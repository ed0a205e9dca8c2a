import type { Context } from './context.js';
import type { WaitOptions } from './limits.js';
import { Wait } from './wait.js';

/**
 * Does something on behalf of a caller within his limits: whatever of it is awaited through `wait` ends with them.
 *
 * @param describe what a timeout says: what did not come about.
 */
export async function waiting<T>(
  { session, clock }: Context,
  options: WaitOptions,
  describe: () => string,
  work: (wait: Wait) => Promise<T>,
): Promise<T> {
  const wait = new Wait(options, session, clock, describe);
  try {
    wait.check();
    return await work(wait);
  } finally {
    wait.finish();
  }
}
