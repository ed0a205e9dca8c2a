import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { etcdKind } from '../../src/servers/etcd-kind.js';
import { startEtcd } from '../../src/servers/index.js';
import { installedServer } from '../../src/servers/installed-server.js';
import { serverOf } from '../../src/servers/start.js';
import type { Installation, StoreKind } from '../../src/servers/store-kind.js';
import { until } from '../../src/servers/until.js';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** A process that ended but was not collected by its parent yet has ended all the same. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return existsSync('/proc/self/stat') && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

const program = (script: string): Installation => ({
  found: 'sh',
  prepare: () => Promise.resolve({ file: 'sh', args: ['-c', script] }),
});

describe('a server that was started here', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('ends with its files when the test process is killed, even while it is frozen', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'concordat-victim-'));
    const report = join(folder, 'report.json');
    const run = spawn(process.execPath, [vitest, 'run', '--root', fileURLToPath(new URL('killed', import.meta.url))], {
      env: { ...process.env, VICTIM_REPORT: report },
      stdio: 'ignore',
    });
    await once(run, 'exit');
    const { pid, root } = JSON.parse(readFileSync(report, 'utf8')) as { pid: number; root: string };
    await until('server and files are gone', 5_000, () =>
      Promise.resolve((isGone(pid) && !existsSync(root)) || undefined),
    );
    rmSync(folder, { recursive: true });
  });

  it('says in its own words why it did not start', async () => {
    await expect(installedServer(etcdKind, program('echo the disk is full >&2; exit 3'))).rejects.toThrow(
      /disk is full/,
    );
  });

  it('is not mistaken for another one that answers in its place', async () => {
    const other = await startEtcd();
    const kind: StoreKind = { ...etcdKind, identify: () => etcdKind.identify(other.hosts[0] ?? { host: '', port: 0 }) };
    await expect(installedServer(kind, program('exec sleep 600'))).rejects.toThrow(/another server answers/);
    await other.stop();
  });

  it('is not needed where one is given, which can be used and linked but not frozen', async () => {
    const own = await startEtcd();
    vi.stubEnv('CONCORDAT_ETCD_URL', own.url);
    const given = await startEtcd();
    await given.operator.write('given', 'key', Buffer.from('1'));
    expect(() => given.control.freeze()).toThrow(/CONCORDAT_ETCD_URL/);
    await expect(given.control.kill()).rejects.toThrow(/CONCORDAT_ETCD_URL/);
    await given.stop();
    expect(await own.operator.keys('given')).toEqual(['key']);
    await own.stop();
  });

  it('is refused with the remedy where there is no way to one', async () => {
    const kind: StoreKind = { ...etcdKind, installation: () => Promise.resolve(null) };
    await expect(serverOf(kind, () => Promise.resolve(null))).rejects.toThrow(/apt-get install.*etcd-server/);
  });

  it('is refused when the given address is none', async () => {
    vi.stubEnv('CONCORDAT_ETCD_URL', 'localhost:2379');
    await expect(startEtcd()).rejects.toThrow('etcd://127.0.0.1:2379');
  });
});
