import { instrument } from '@concordat/telemetry';
import type { Lock } from 'concordat';
import type { Row } from '../report.js';
import { open, type Stage } from '../stage.js';
import { percentile, timed } from '../statistics.js';

const blockSize = 25;
const barPercent = 2;

/**
 * What being observed adds to a free lock cycle: three coordinators in one process, block by block. One is plain, one is instrumented while no
 * SDK is registered, and of one somebody listens to `events$` and does nothing with it. Compared are the medians of blocks that follow each other,
 * so that whatever else the machine does hits all alike.
 */
export async function measureTelemetry(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  await using plain = await open(stage.url);
  await using instrumented = await open(stage.url);
  await using heard = await open(stage.url);
  using _instrumentation = instrument(instrumented);
  const listening = heard.events$.subscribe(() => undefined);
  const locks = [plain, instrumented, heard].map((coordinator, index) => coordinator.lock(`telemetry-${index}`));
  const [bases, withApi, withListener]: [number[], number[], number[]] = [[], [], []];
  // In memory a cycle is so short that it takes more of them.
  const rounds = (quick ? 20 : 80) * (stage.raw === null ? 10 : 1);
  for (let round = -8; round < rounds; round += 1) {
    const medians = await oneRound(locks, round % locks.length);
    const [base = Number.NaN, api = Number.NaN, listener = Number.NaN] = medians;
    if (round < 0) continue;
    bases.push(base);
    withApi.push((api / base - 1) * 100);
    withListener.push((listener / base - 1) * 100);
  }
  listening.unsubscribe();
  const [api, listener] = [percentile(withApi, 0.5), percentile(withListener, 0.5)];
  const base = `${(percentile(bases, 0.5) * 1_000).toFixed(0)} µs`;
  return [
    {
      what: 'instrumented, no SDK: a cycle more',
      value: `${api.toFixed(1)} %`,
      bar: `< ${barPercent} %`,
      met: api < barPercent,
    },
    { what: '  events$ heard by a function that does nothing', value: `${listener.toFixed(1)} % of ${base}` },
  ];
}

/** One block for each lock, beginning with another one each time; answers their medians. */
async function oneRound(locks: readonly Lock[], first: number): Promise<readonly number[]> {
  const medians: number[] = [];
  for (let turn = 0; turn < locks.length; turn += 1) {
    const index = (Math.abs(first) + turn) % locks.length;
    const took: number[] = [];
    for (let cycle = 0; cycle < blockSize; cycle += 1)
      took.push(await timed(async () => (await locks[index]?.acquire())?.release()));
    medians[index] = percentile(took, 0.5);
  }
  return medians;
}
