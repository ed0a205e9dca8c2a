import type { SimulatedSeed, SimulateOptions } from '../simulate.js';

/**
 * Looks for faults that a failure does not need: halves of what is left, then quarters, then one by one. Whatever still breaks the same rule
 * counts; it may break it elsewhere.
 *
 * @returns the numbers of all that may be left out together.
 */
export async function shrink(
  { seed, plan, violations }: Pick<SimulatedSeed, 'seed' | 'plan' | 'violations'>,
  without: ReadonlySet<number>,
  run: (options: SimulateOptions) => Promise<Pick<SimulatedSeed, 'violations'>>,
): Promise<ReadonlySet<number>> {
  const rule = violations[0]?.rule;
  let out = new Set(without);
  for (let size = Math.ceil(plan.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const kept = [...plan.faults.keys()].filter((number) => !out.has(number));
    for (let index = 0; index < kept.length; index += size) {
      const fewer = new Set([...out, ...kept.slice(index, index + size)]);
      const { violations: still } = await run({ seed, without: fewer });
      if (still[0]?.rule === rule) out = fewer;
    }
  }
  return out;
}
