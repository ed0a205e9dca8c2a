import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from '../journal.js';
import type { Random } from '../random.js';
import type { Fault } from './fault.js';

/** How long things stay broken, and whole in between, in milliseconds. */
export interface Pace {
  readonly broken: readonly [least: number, most: number];
  readonly whole: readonly [least: number, most: number];
}

/** What is called after each fault, before the next one: such as waiting until the store is whole. */
export type AfterFault = () => Promise<void>;

/** Breaks one thing after the other until it is stopped; resolves when the last one is mended. */
export async function torment(
  faults: readonly Fault[],
  pace: Pace,
  random: Random,
  journal: Journal,
  stop: AbortSignal,
  afterFault: AfterFault,
): Promise<void> {
  const pause = (limits: readonly [number, number]): Promise<void> =>
    delay(random.between(...limits), undefined, { signal: stop }).catch(() => undefined);
  await pause(pace.whole);
  while (!stop.aborted) {
    const fault = random.pick(faults);
    const lasts = random.between(...pace.broken);
    const { on, mend } = await fault.begin();
    journal.write({ kind: 'fault', fault: fault.name, on, phase: 'begin' });
    await delay(lasts, undefined, { signal: stop }).catch(() => undefined);
    await mend();
    journal.write({ kind: 'fault', fault: fault.name, on, phase: 'end' });
    await afterFault();
    await pause(pace.whole);
  }
}
