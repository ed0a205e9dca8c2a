import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from './checkers/verdict.js';
import { counts, gapRows } from './report/figures.js';
import { page } from './report/page.js';
import { type RunOptions, readOptions } from './run/options.js';
import { run } from './run/run.js';

const tickMs = 500;
const say = (what: string): void => void process.stdout.write(`chaos: ${what}\n`);

const options = optionsOrUsage();
const { directory, lines } = await run(options, say);
const verdict = judge(lines, { ...options, tickMs });
const report = join(directory, 'report.html');
writeFileSync(report, page(options, lines, verdict));

for (const [name, figure] of [...gapRows(verdict), ...counts(lines)]) say(`${name}: ${figure}`);
for (const { thing, from, to, grants, known } of verdict.overlaps) {
  say(
    `overlap of beliefs: ${thing}, ${String(Math.round(to - from))} ms from ${String(Math.round(from))}: ${grants.map(({ id }) => id).join(', ')}; ${known ?? 'not explained'}`,
  );
}
for (const { rule, what, at } of verdict.violations) say(`VIOLATION at ${String(Math.round(at))}: ${rule}: ${what}`);
say(
  `${String(verdict.violations.length)} violations, ${String(verdict.overlaps.length)} overlaps of beliefs; seed ${String(options.seed)}; ${report}`,
);
process.exitCode = verdict.violations.length === 0 ? 0 : 1;

/** A wrong command line is answered with how it is written, and exit code 2. */
function optionsOrUsage(): RunOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
}
