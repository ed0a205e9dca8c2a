import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a seed is good for: the commit, marked when files differ from it, and the version of Node.js. */
export function version(): string {
  const cwd = dirname(fileURLToPath(import.meta.url));
  const git = (...args: readonly string[]): string => {
    const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : '';
  };
  const commit = git('rev-parse', '--short', 'HEAD');
  const changed = git('status', '--porcelain') === '' ? '' : '+changes';
  return `${commit === '' ? 'no commit' : commit}${changed} on Node.js ${process.versions.node}`;
}
