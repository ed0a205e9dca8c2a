import { Backoff } from '../backoff.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { Backend } from '../spi/backend.js';
import type { Call } from '../spi/call.js';
import type { Wait } from '../wait.js';

/** Reads on behalf of somebody in a line. A read that failed is asked again within the same session: a place stands as long as its entry does. */
export async function askInLine<T>(
  { requests, session }: Context,
  wait: Wait,
  epoch: number,
  read: (backend: Backend, call: Call) => Promise<T>,
): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await wait.race(requests.read(read, epoch));
    } catch (reason) {
      if (wait.ended || !CoordinationError.is(reason, 'UNAVAILABLE')) throw reason;
      await wait.pause(backoff.nextMs);
      session.check(epoch);
    }
  }
}
