// etcd itself, from the Go module proxy: the server's module has its program in the root.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { hasProgram } from './find-servers.mjs';

const moduleName = 'go.etcd.io/etcd/server/v3';
const program = process.platform === 'win32' ? 'etcd.exe' : 'etcd';

/**
 * Builds the newest release of a line, unless `cache` has it.
 *
 * @param {string} line such as `3.6`
 * @param {string} cache a folder
 * @returns {{ version: string, folder: string }} the folder holds the program and nothing else
 */
export function buildEtcd(line, cache) {
  if (!hasProgram('go', (process.env.PATH ?? '').split(delimiter)))
    throw new Error(
      `etcd ${line} is built from source, and Go is missing. As root: apt-get install golang-go; etcd wants a recent one`,
    );
  const workplace = mkdtempSync(join(tmpdir(), 'concordat-etcd-'));
  try {
    // `go install …@version` refuses modules that replace others, as etcd's does: one that requires it does not care.
    writeFileSync(join(workplace, 'go.mod'), 'module concordat.example/etcd\n\ngo 1.21\n');
    const version = go(workplace, ['list', '-m', '-f', '{{.Version}}', `${moduleName}@v${line}`]).replace(/^v/, '');
    if (!version.startsWith(`${line}.`)) throw new Error(`the module proxy has "${version}" for etcd ${line}`);
    const folder = join(cache, `etcd-${version}`);
    if (!existsSync(join(folder, program))) build(workplace, version, folder);
    return { version, folder };
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

function build(workplace, version, folder) {
  console.error(`matrix: building etcd ${version}`);
  go(workplace, ['get', `${moduleName}@v${version}`]);
  mkdirSync(folder, { recursive: true });
  const unfinished = join(folder, `unfinished-${process.pid}`);
  go(workplace, ['build', '-trimpath', '-o', unfinished, moduleName]);
  renameSync(unfinished, join(folder, program));
}

function go(cwd, args) {
  const { status, stdout, stderr } = spawnSync('go', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
  });
  if (status !== 0) throw new Error(`\`go ${args.join(' ')}\` failed:\n${stderr}`);
  return stdout.trim();
}
