import { setTimeout as wait } from 'node:timers/promises';

/** Polls until `condition` holds; fails loudly at the limit. */
export async function eventually(condition: () => boolean | Promise<boolean>, limitMs = 5_000): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error(`not within ${String(limitMs)} ms: ${condition.toString()}`);
    await wait(5);
  }
}
