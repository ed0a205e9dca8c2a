import type { Grant } from 'concordat';
import { milliseconds, type Row } from '../report.js';
import { open, type Stage } from '../stage.js';
import { percentile, timed } from '../statistics.js';

const blockSize = 25;

/**
 * A free lock cycle against the raw pair of writes, in one process and in alternating blocks, so that whatever
 * else the machine does hits both alike.
 */
export async function measureCycle(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  const { raw, bars } = stage;
  await using coordinator = await open(stage.url);
  const lock = coordinator.lock('cycle');
  const cycle = async (): Promise<void> => (await lock.acquire()).release();
  const pair = async (): Promise<void> => raw?.remove(await raw.create());
  const [cycles, pairs]: [number[], number[]] = [[], []];
  const blocks = quick ? 10 : 40;
  for (let block = -4; block < blocks; block += 1) {
    for (const [work, samples] of [
      [pair, pairs],
      [cycle, cycles],
    ] as const) {
      for (let turn = 0; turn < blockSize; turn += 1) {
        const took = await timed(work);
        // Blocks before the first are for the compiler to warm up.
        if (block >= 0) samples.push(took);
      }
    }
  }
  const rows: Row[] = [
    { what: 'free lock cycle p50 / p99', value: span(cycles) },
    ...(await measureParts(stage, quick)),
  ];
  if (raw === null || bars === null) return rows;
  const ratio = percentile(cycles, 0.5) / percentile(pairs, 0.5);
  return [
    { what: 'raw create + delete p50 / p99', value: span(pairs) },
    ...rows,
    { what: 'cycle / raw pair, medians', value: ratio.toFixed(2), bar: `<= ${bars.cycle}`, met: ratio <= bars.cycle },
  ];
}

async function measureParts(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  await using coordinator = await open(stage.url);
  const lock = coordinator.lock('parts');
  const [acquires, releases]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < (quick ? 100 : 500); turn += 1) {
    const grants: Grant[] = [];
    acquires.push(await timed(async () => grants.push(await lock.acquire())));
    releases.push(await timed(async () => grants[0]?.release()));
  }
  return [
    { what: '  of it acquire p50', value: milliseconds(percentile(acquires, 0.5)) },
    { what: '  of it release p50', value: milliseconds(percentile(releases, 0.5)) },
  ];
}

function span(samples: readonly number[]): string {
  return `${milliseconds(percentile(samples, 0.5))} / ${milliseconds(percentile(samples, 0.99))}`;
}
