import { json } from 'concordat';
import type { Raw } from '../raw.js';
import { rawNative } from '../raw-native.js';
import { rawWire } from '../raw-wire.js';
import { milliseconds, type Row } from '../report.js';
import { open, type Stage } from '../stage.js';
import { percentile, timed } from '../statistics.js';

const transports = ['wire', 'native'] as const;
type Transport = (typeof transports)[number];
type Samples = Readonly<Record<Transport, number[]>>;

const blockSize = 25;
const burst = 10_000;

/** The driver's own transport against the native client, in one run and in turns. */
export async function measureTransports(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  if (stage.node === null || !stage.url.startsWith('zookeeper')) return [];
  const [host] = stage.node.hosts;
  if (host === undefined) return [];
  const raws = { wire: await rawWire(host), native: await rawNative(host) };
  try {
    return [
      ...(await cycles(stage, quick)),
      ...(await writes(raws, quick)),
      ...(await bursts(raws, quick)),
      ...(await losses(stage, quick)),
    ];
  } finally {
    await Promise.all(transports.map((transport) => raws[transport].close()));
  }
}

async function cycles(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  await using wire = await open(`${stage.url}?transport=wire`);
  await using native = await open(`${stage.url}?transport=native`);
  const locks = { wire: wire.lock('wire'), native: native.lock('native') };
  const samples = await inTurns(quick, async (transport) => (await locks[transport].acquire()).release());
  return compared('free lock cycle p50', samples, true);
}

async function writes(raws: Readonly<Record<Transport, Raw>>, quick: boolean): Promise<readonly Row[]> {
  const samples = await inTurns(quick, async (transport) => raws[transport].remove(await raws[transport].create()));
  return compared('raw create + delete p50', samples, false);
}

/** All asked at once, and then all awaited. */
async function bursts(raws: Readonly<Record<Transport, Raw>>, quick: boolean): Promise<readonly Row[]> {
  const samples: Samples = { wire: [], native: [] };
  const processor: Samples = { wire: [], native: [] };
  const resident: Samples = { wire: [], native: [] };
  for (let turn = -1; turn < (quick ? 2 : 7); turn += 1) {
    for (const transport of transports) {
      const raw = raws[transport];
      globalThis.gc?.();
      const [usedBefore, residentBefore] = [process.cpuUsage(), process.memoryUsage.rss()];
      let entries: readonly string[] = [];
      const tookMs = await timed(async () => {
        entries = await Promise.all(Array.from({ length: burst }, () => raw.create()));
      });
      const { user, system } = process.cpuUsage(usedBefore);
      const grown = process.memoryUsage.rss() - residentBefore;
      await Promise.all(entries.map((entry) => raw.remove(entry)));
      if (turn < 0) continue;
      samples[transport].push(tookMs);
      processor[transport].push((user + system) / burst);
      resident[transport].push(grown / 1024 / 1024);
    }
  }
  const both = (of: Samples, digits: number): string =>
    transports.map((transport) => percentile(of[transport], 0.5).toFixed(digits)).join(' / ');
  return [
    ...compared(`${burst} pipelined creates, median`, samples, true),
    { what: '  processor time per create, wire / native', value: `${both(processor, 1)} µs` },
    { what: '  resident memory more, wire / native', value: `${both(resident, 1)} MB` },
  ];
}

/** From a cut of the connection to the first answer after it, the session kept. */
async function losses(stage: Stage, quick: boolean): Promise<readonly Row[]> {
  const samples: Samples = { wire: [], native: [] };
  for (const transport of transports) {
    const link = await stage.node?.link();
    if (link === undefined) continue;
    await using coordinator = await open(`${stage.url}?transport=${transport}`, { ...link.options });
    const config = coordinator.config('loss', json);
    await config.set(1);
    for (let turn = 0; turn < (quick ? 5 : 30); turn += 1) {
      samples[transport].push(
        await timed(async () => {
          link.flap();
          await config.get();
        }),
      );
    }
    await coordinator.close();
    await link.close();
  }
  return compared('cut to the next answer p50', samples, false);
}

async function inTurns(quick: boolean, work: (transport: Transport) => Promise<unknown>): Promise<Samples> {
  const samples: Samples = { wire: [], native: [] };
  for (let block = -4; block < (quick ? 10 : 40); block += 1) {
    for (const transport of transports) {
      for (let turn = 0; turn < blockSize; turn += 1) {
        const took = await timed(() => work(transport));
        if (block >= 0) samples[transport].push(took);
      }
    }
  }
  return samples;
}

function compared(what: string, samples: Samples, isBarred: boolean): readonly Row[] {
  const [wire, native] = [percentile(samples.wire, 0.5), percentile(samples.native, 0.5)];
  const ratio = wire / native;
  return [
    { what: `${what}, wire / native`, value: `${milliseconds(wire)} / ${milliseconds(native)}` },
    {
      what: '  wire takes, of native',
      value: ratio.toFixed(2),
      ...(isBarred ? { bar: '<= 1', met: ratio <= 1 } : {}),
    },
  ];
}
