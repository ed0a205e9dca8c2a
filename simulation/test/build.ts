import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Compiles what tests start as processes; does nothing when it is up to date. */
export function setup(): void {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, [compiler, '-b', project], { stdio: 'inherit' });
}
