import { type Coordinator, text } from 'concordat';
import { milliseconds, type Row } from '../report.js';
import { open, type Stage } from '../stage.js';
import { percentile, timed } from '../statistics.js';

const settingBytes = 100;
const leastGain = 10;
const inFlight = 100;

/**
 * Settings published as a bundle against the same ones written one by one, in one process: each awaited before the next as in the
 * ZooKeeper paper (§2.3), and 100 in flight. Readers of either have a complete set only in the first case.
 */
export async function measureBundle(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  await using coordinator = await open(stage.url);
  const count = quick ? 500 : 5_000;
  const rounds = quick ? 3 : 9;
  // What exists is overwritten: the first round makes it, and lets the compiler warm up.
  await sendPipelined(coordinator, settingsOf(count, 'made'));
  await coordinator.bundle('bench').publish(settingsOf(count, 'made'));
  const published: number[] = [];
  const sentPipelined: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const settings = settingsOf(count, `round ${round}`);
    published.push(await timed(() => coordinator.bundle('bench').publish(settings)));
    sentPipelined.push(await timed(() => sendPipelined(coordinator, settings)));
  }
  const oneByOne = await timed(() => sendOneByOne(coordinator, settingsOf(count, 'one by one')));
  const bundle = percentile(published, 0.5);
  const pipelined = percentile(sentPipelined, 0.5);
  const gain = oneByOne / bundle;
  const what = `${count} settings of ${settingBytes} bytes`;
  return [
    { what: `${what} as a bundle, p50`, value: milliseconds(bundle) },
    { what: '  one by one, each awaited', value: milliseconds(oneByOne) },
    { what: `  one by one, ${inFlight} in flight, p50`, value: milliseconds(pipelined) },
    // What a bundle saves are round trips, and in memory there are none.
    { what: '  bundle faster than each awaited', value: times(gain), ...(stage.bars === null ? {} : bar(gain)) },
    { what: `  bundle faster than ${inFlight} in flight`, value: times(pipelined / bundle) },
  ];
}

function settingsOf(count: number, value: string): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [`setting-${index}`, value.padEnd(settingBytes, '.')]));
}

async function sendOneByOne(coordinator: Coordinator, settings: ReadonlyMap<string, string>): Promise<void> {
  for (const [key, value] of settings) await coordinator.config(`bench/${key}`, text).set(value);
}

async function sendPipelined(coordinator: Coordinator, settings: ReadonlyMap<string, string>): Promise<void> {
  // All take from one iterator.
  const rest = settings.entries();
  const send = async (): Promise<void> => {
    for (const [key, value] of rest) await coordinator.config(`bench/${key}`, text).set(value);
  };
  await Promise.all(Array.from({ length: inFlight }, send));
}

function bar(gain: number): Pick<Row, 'bar' | 'met'> {
  return { bar: `>= ${leastGain} x`, met: gain >= leastGain };
}

function times(factor: number): string {
  return `${factor.toFixed(1)} x`;
}
