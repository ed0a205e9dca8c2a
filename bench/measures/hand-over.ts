import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Coordinator, Grant } from 'concordat';
import { filter, firstValueFrom } from 'rxjs';
import { milliseconds, type Row } from '../report.js';
import { open, type Stage } from '../stage.js';
import { percentile, timed } from '../statistics.js';

// Long enough for the waiter's watch to stand: what is measured is the hand-over, not its preparation.
const settleMs = 5;

/** From the call of `release()` to the grant of the next waiter, who has another session; quiet, and beside a busy client. */
export async function measureHandOver(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  const quiet = await measure('hand-over', stage, quick);
  if (stage.raw === null) return quiet;
  const writer = await startWriter(stage.url);
  try {
    return [...quiet, ...(await measure('hand-over beside a writer', stage, quick))];
  } finally {
    writer.kill('SIGKILL');
    await once(writer, 'exit');
  }
}

async function measure(what: string, stage: Stage, quick: boolean): Promise<readonly Row[]> {
  const { raw, bars } = stage;
  await using first = await open(stage.url);
  await using second = await open(stage.url);
  const [handOvers, writes]: [number[], number[]] = [[], []];
  let holder = await first.lock(what).acquire();
  let [waiting, other] = [second, first];
  for (let turn = -20; turn < (quick ? 100 : 400); turn += 1) {
    const next = await standBehind(waiting, what);
    await setTimeout(settleMs);
    const write = raw === null ? Number.NaN : await writeOnce(raw);
    const tookMs = await timed(async () => {
      void holder.release();
      holder = await next.granted;
    });
    if (turn >= 0) {
      handOvers.push(tookMs);
      writes.push(write);
    }
    [waiting, other] = [other, waiting];
  }
  await holder.release();
  const p50 = percentile(handOvers, 0.5);
  const row: Row = {
    what: `${what} p50 / p99`,
    value: `${milliseconds(p50)} / ${milliseconds(percentile(handOvers, 0.99))}`,
  };
  if (bars === null) return [row];
  const ratio = p50 / percentile(writes, 0.5);
  return [
    row,
    {
      what: `${what} / one raw write (${milliseconds(percentile(writes, 0.5))})`,
      value: ratio.toFixed(2),
      bar: `<= ${bars.handOver}`,
      met: ratio <= bars.handOver,
    },
  ];
}

async function writeOnce(raw: NonNullable<Stage['raw']>): Promise<number> {
  let entry = '';
  const tookMs = await timed(async () => {
    entry = await raw.create();
  });
  await raw.remove(entry);
  return tookMs;
}

async function standBehind(coordinator: Coordinator, name: string): Promise<{ readonly granted: Promise<Grant> }> {
  const standing = firstValueFrom(coordinator.events$.pipe(filter(({ type }) => type === 'entry-created')));
  const granted = coordinator.lock(name).acquire();
  await standing;
  return { granted };
}

async function startWriter(url: string): Promise<ChildProcess> {
  const writer = fork(fileURLToPath(new URL('../steady-writer.js', import.meta.url)), [url], { execArgv: [] });
  await once(writer, 'message');
  return writer;
}
