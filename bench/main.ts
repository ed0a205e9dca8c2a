import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBundle } from './measures/bundle.js';
import { measureCycle } from './measures/cycle.js';
import { measureFootprint } from './measures/footprint.js';
import { measureHandOver } from './measures/hand-over.js';
import { measureIdle } from './measures/idle.js';
import { measurePerRelease } from './measures/per-release.js';
import { measureTelemetry } from './measures/telemetry.js';
import { measureTransports } from './measures/transports.js';
import { type Row, table } from './report.js';
import { type BackendName, backends, type Stage, setStage } from './stage.js';

const measures: Readonly<Record<string, (stage: Stage, quick: boolean) => Promise<readonly Row[]>>> = {
  cycle: measureCycle,
  transports: measureTransports,
  'hand-over': measureHandOver,
  'per-release': measurePerRelease,
  bundle: measureBundle,
  footprint: measureFootprint,
  telemetry: measureTelemetry,
  idle: measureIdle,
};

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'all' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
});

async function run(backend: BackendName): Promise<readonly Row[]> {
  const stage = await setStage(backend);
  const rows: Row[] = [];
  try {
    for (const [name, measure] of Object.entries(measures))
      if (values.only === undefined || values.only === name) rows.push(...(await measure(stage, values.quick)));
  } finally {
    await stage.stop();
  }
  return rows;
}

const chosen = backends.filter((backend) => values.backend === 'all' || values.backend === backend);
if (chosen.length === 0) throw new Error(`--backend is one of all, ${backends.join(', ')}`);
const machine = `Node ${process.versions.node}, ${String(cpus().length)} cores, load ${loadavg()[0]?.toFixed(1) ?? '?'}`;
let report = `# Benchmarks

Made by \`npm run bench -- --write\`: ${machine} at the start; one server of each kind beside it on the same machine, its data on disk.

A cycle and the raw pair run in one process in alternating blocks. The raw client is the one below the driver, without anything around
it. A hand-over counts from the call of \`release()\` to the grant of the next waiter, who has another session; the writer beside it is another
process that creates and deletes as fast as the store answers.

Ratios depend on how long the store takes to sync a write. Where that is under a millisecond, as here, a read costs hardly less than a
write, and the processor time of the client is seen as well: on ZooKeeper a free cycle is the two writes of
the raw pair and a listing behind the first; on etcd its transaction is 1.2 of the raw pair's put
and delete. The slower the disk and the network, the nearer to 1.
`;
let missed = 0;
console.log(machine);
for (const backend of chosen) {
  const rows = await run(backend);
  missed += rows.filter(({ met }) => met === false).length;
  const section = `\n## ${backend}\n\n${table(rows)}\n`;
  report += section;
  console.log(section);
}
if (values.write !== undefined) writeFileSync(values.write, report);
if (missed > 0) console.log(`${String(missed)} missed`);
process.exit(missed > 0 ? 1 : 0);
