// A process that runs a part of the seeds and tells of them in lines of JSON: `FROM END STEP TWICE-EVERY [stop]`.
import { runPart } from './part.js';

const [from = 0, end = 0, step = 1, twiceEvery = 0] = process.argv.slice(2, 6).map(Number);
await runPart({ from, end, step, twiceEvery, stop: process.argv[6] === 'stop' }, (report) => {
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
