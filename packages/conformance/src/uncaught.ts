import { eventually } from './eventually.js';

/** Runs `work` while that many uncaught exceptions are expected, and answers them; nobody else hears of them meanwhile. */
export async function catchUncaught(count: number, work: () => Promise<void>): Promise<readonly unknown[]> {
  const listeners = process.listeners('uncaughtException');
  const caught: unknown[] = [];
  const take = (error: unknown): void => void caught.push(error);
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', take);
  try {
    await work();
    await eventually(() => {
      if (caught.length < count) throw new Error(`${String(caught.length)} of ${String(count)} came up`);
    });
    return caught;
  } finally {
    process.off('uncaughtException', take);
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
}
