import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks again and again until there is something to see; a look that throws is one that saw nothing yet.
 *
 * Rejects with what it waited for, and the last failure as its cause, when `limitMs` has passed.
 */
export async function until<T>(what: string, limitMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + limitMs;
  let failure: unknown;
  do {
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      failure = error;
    }
    await delay(20);
  } while (performance.now() < end);
  throw new Error(`${what}: not within ${limitMs} ms`, { cause: failure });
}
