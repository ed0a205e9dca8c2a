import { fileURLToPath } from 'node:url';
import type { Arguments } from './arguments.js';
import type { PartReport, SeedReport } from './part.js';
import { spawnPart } from './spawn-part.js';
import { type Totals, totalsOf } from './totals.js';
import { version } from './version.js';

// Most of what a seed makes is gone right after: a larger nursery collects it for less.
const program = ['--max-semi-space-size=32', fileURLToPath(new URL('part-process.js', import.meta.url))];

/** Runs many seeds in several processes; answers whether all of them ran and none failed. */
export async function runMany({ from, seeds, workers, twiceEvery }: Arguments): Promise<boolean> {
  const startedAt = performance.now();
  const end = from + seeds;
  const at = version();
  console.log(`simulating ${count(seeds)} seeds from ${from} at ${at}, in ${workers} processes`);
  const reports: PartReport[] = [];
  const told = (report: PartReport): void => {
    reports.push(report);
    if (report.type === 'seed') printFailure(report, at);
  };
  const numbers = Array.from({ length: workers }, (_, worker) => worker);
  const parts = numbers.map((worker) =>
    spawnPart(program, { from: from + worker, end, step: workers, twiceEvery, stop: false }, told),
  );
  const codes = await Promise.all(parts);
  const totals = totalsOf(reports);
  printTotals(totals, (performance.now() - startedAt) / 1_000);
  const isWhole = codes.every((code) => code === 0) && totals.seeds.length === seeds;
  if (!isWhole)
    console.log(`${count(totals.seeds.length)} of ${count(seeds)} seeds were run; exit codes ${codes.join(', ')}`);
  return isWhole && totals.failed.length === 0;
}

function printFailure({ seed, violation }: SeedReport, at: string): void {
  if (violation === null) return;
  const { rule, detail, atMs } = violation;
  console.log(`FAILED seed ${seed}@${at}: ${rule}: ${detail} (after ${atMs.toFixed(0)} ms)`);
  console.log(`  again: npm run simulate -- --seed ${seed} --trace`);
}

function printTotals({ seeds, failed, events, twice, tally }: Totals, seconds: number): void {
  const pace = `${(seeds.length / seconds).toFixed(0)} seeds/s, ${count(Math.round(events / seconds))} events/s`;
  console.log(`${count(seeds.length)} seeds, ${count(events)} events in ${seconds.toFixed(0)} s: ${pace}`);
  console.log(`${count(twice)} seeds ran twice; ${failed.length === 0 ? 'nothing failed' : `${failed.length} FAILED`}`);
  for (const [what, times] of tally) console.log(`  ${count(times).padStart(12)} ${what}`);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
