import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Row } from '../report.js';
import type { Stage } from '../stage.js';

const barPercent = 0.5;
const program = fileURLToPath(new URL('../idle-process.js', import.meta.url));

/** What a coordinator that holds one lock and does nothing costs, in percent of a core: a process of its own, with no other measure's garbage. */
export async function measureIdle({ url }: Stage, quick: boolean): Promise<readonly Row[]> {
  const seconds = quick ? 30 : 60;
  const args = ['--expose-gc', program, url, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: (seconds + 60) * 1_000 });
  const percent = Number(stdout);
  const what = `idle with one lock held, over ${seconds} s`;
  return [{ what, value: `${percent.toFixed(2)} % of a core`, bar: `< ${barPercent} %`, met: percent < barPercent }];
}
