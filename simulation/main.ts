import { readArguments } from './command/arguments.js';
import { runMany } from './command/many-seeds.js';
import { runOne } from './command/one-seed.js';

// `npm run simulate -- [--seeds N] [--from N] [--workers N] [--twice-every N] | --seed N [--trace] [--shrink] [--without 1,2]`
try {
  const args = readArguments(process.argv.slice(2));
  const sound = args.seed === null ? await runMany(args) : await runOne(args.seed, args);
  process.exitCode = sound ? 0 : 1;
} catch (error) {
  console.error(`simulate: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
