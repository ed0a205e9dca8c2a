import { setTimeout } from 'node:timers/promises';
import type { Row } from '../report.js';
import { open, type Stage } from '../stage.js';

const barPercent = 0.5;

/** What a coordinator that holds one lock and does nothing costs, in percent of a core. */
export async function measureIdle(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  await using coordinator = await open(stage.url);
  await using _held = await coordinator.lock('idle').acquire();
  await setTimeout(5_000);
  // What loading and connecting left behind is collected sooner or later, and is no cost of being idle.
  globalThis.gc?.();
  const seconds = quick ? 30 : 60;
  const before = process.cpuUsage();
  await setTimeout(seconds * 1_000);
  const { user, system } = process.cpuUsage(before);
  const percent = (user + system) / 10_000 / seconds;
  const what = `idle with one lock held, over ${seconds} s`;
  return [{ what, value: `${percent.toFixed(2)} % of a core`, bar: `< ${barPercent} %`, met: percent < barPercent }];
}
