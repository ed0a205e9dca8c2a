// `npm run simulate:mutants`: real bugs, brought back one by one, and whether the simulation catches each. Arguments are passed on to vitest.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printCounts, runTests } from './lib/run-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const project = join(root, 'simulation');
const config = ['--root', project, '--config', join(project, 'vitest.mutants.config.ts')];
const { code, counts } = await runTests(root, [...config, ...process.argv.slice(2)]);
printCounts(counts);
process.exitCode = code;
