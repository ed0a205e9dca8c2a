import { fileURLToPath } from 'node:url';
import type { SeedReport } from '../command/part.js';
import { spawnPart } from '../command/spawn-part.js';

const program = fileURLToPath(new URL('../dist/command/part-process.js', import.meta.url));

/** What comes of some seeds in a process of its own, from the compiled program. */
export async function partOf(
  from: number,
  end: number,
  options: { readonly node?: readonly string[]; readonly twice?: boolean; readonly stop?: boolean } = {},
): Promise<readonly SeedReport[]> {
  const { node = [], twice = false, stop = false } = options;
  const seeds: SeedReport[] = [];
  await spawnPart([...node, program], { from, end, step: 1, twiceEvery: twice ? 1 : 0, stop }, (report) => {
    if (report.type === 'seed') seeds.push(report);
  });
  return seeds;
}
