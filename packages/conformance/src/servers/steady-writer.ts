import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 50;

/** A bystander's connection to the store. */
export interface Bystander {
  write(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes as fast as the store answers until the returned function is called, which waits for the last one; a store that
 * is broken meanwhile is tried again. Resolves after the first write.
 */
export async function writeSteadily(open: () => Promise<Bystander>): Promise<() => Promise<void>> {
  let bystander = await open();
  await bystander.write();
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await bystander.write();
      } catch {
        await bystander.close().catch(() => undefined);
        // Between two tries; whoever stops it does not wait for that.
        await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined);
        bystander = await open().catch(() => bystander);
      }
    }
    await bystander.close().catch(() => undefined);
  };
  const running = loop();
  return () => {
    stop.abort();
    return running;
  };
}
