// `npm start` tells the story of the waiting line in memory; `npm start -- etcd://127.0.0.1:2379` on a live store.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const build = spawnSync(process.execPath, [compiler, '-b', join(root, 'examples')], { stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

// As in `npm start | head`.
process.stdout.on('error', () => process.exit(0));
const example = (name) => import(pathToFileURL(join(root, 'examples', 'dist', `${name}.js`)).href);
const { tellWaitingLine } = await example('waiting-line');
const [url = 'memory:waiting-line'] = process.argv.slice(2);
try {
  await tellWaitingLine(url, (line) => console.log(line));
} catch (error) {
  const { code, message, cause } = error;
  const because = typeof cause?.message === 'string' ? `\n  because: ${cause.message}` : '';
  console.error(`\n${message}${because}`);
  // As the concordat command does: wrong arguments, a store that cannot be used, and 1 when the story went wrong.
  process.exit(code === 'INVALID_ARGUMENT' ? 64 : code === undefined ? 1 : 69);
}
