import { fileURLToPath } from 'node:url';
import type { PartReport, SeedReport } from '../command/part.js';
import { spawnPart } from '../command/spawn-part.js';

const program = fileURLToPath(new URL('../dist/command/part-process.js', import.meta.url));

// Less than a test may take, so that no process outlives it.
const limitMs = 240_000;

/** What comes of some seeds in a process of its own, from the compiled program. */
export async function partOf(
  from: number,
  end: number,
  options: { readonly node?: readonly string[]; readonly twice?: boolean; readonly stop?: boolean } = {},
): Promise<readonly SeedReport[]> {
  const { node = [], twice = false, stop = false } = options;
  const seeds: SeedReport[] = [];
  const told = (report: PartReport): void => {
    if (report.type === 'seed') seeds.push(report);
  };
  await spawnPart([...node, program], { from, end, step: 1, twiceEvery: twice ? 1 : 0, stop }, told, limitMs);
  return seeds;
}
