import { simulate } from '../simulate.js';
import type { SeedPlan } from '../world/seed-plan.js';
import type { Arguments } from './arguments.js';
import { shrink } from './shrink.js';
import { version } from './version.js';

/** Runs one seed and shows what it did; answers whether nothing failed. */
export async function runOne(seed: number, { trace, without, shrink: smaller }: Arguments): Promise<boolean> {
  const run = await simulate({ seed, trace, without });
  for (const line of run.lines) console.log(line);
  printPlan(run.plan, without);
  console.log(
    `seed ${seed}@${version()}: ${run.events} events in ${run.virtualMs.toFixed(0)} ms of virtual time, hash ${run.hash}`,
  );
  for (const [what, times] of [...run.tally].sort()) console.log(`  ${String(times).padStart(8)} ${what}`);
  const [violation] = run.violations;
  if (violation === undefined) return true;
  console.log(`FAILED ${violation.rule}: ${violation.detail} (after ${violation.atMs.toFixed(0)} ms)`);
  if (smaller) {
    const left = await shrink(run, without, simulate);
    console.log(`fails without these faults, too: --without ${[...left].join(',')}`);
  }
  return false;
}

function printPlan(
  { climate, clients, workersPerClient, workloads, faults }: SeedPlan,
  without: ReadonlySet<number>,
): void {
  const { sessionTimeoutMs, weather } = climate;
  console.log(
    `${clients} clients of ${workersPerClient} workers, session timeout ${sessionTimeoutMs} ms: ${workloads.join(', ')}`,
  );
  console.log(`weather: ${JSON.stringify(weather)}`);
  for (const [number, { kind, atMs, forMs }] of faults.entries()) {
    const left = without.has(number) ? ' (left out)' : '';
    console.log(`fault ${number}: ${kind} at ${atMs.toFixed(0)} ms for ${forMs.toFixed(0)} ms${left}`);
  }
}
