import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startEtcd, startZooKeeper } from '@concordat/conformance/servers';
import { expect, it, onTestFinished } from 'vitest';
import { createCoordinator } from '../src/index.js';

const program = fileURLToPath(new URL('programs/increments.mjs', import.meta.url));
const processes = 4;
const times = 10;

/** Runs it to its end, and answers what it said. */
async function counted(url: string): Promise<string> {
  const child = spawn(process.execPath, [program, url, String(processes), String(times)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  return said.join('');
}

// tooz and syncguard: increments of many contenders, here of several processes.
it.each([
  ['etcd', startEtcd],
  ['ZooKeeper', startZooKeeper],
])('four processes that count up on %s lose no increment, under a lock or by compare-and-set', async (_name, start) => {
  const node = await start();
  onTestFinished(() => node.stop());
  const url = `${node.url}/increments`;
  const said = await Promise.all(Array.from({ length: processes }, () => counted(url)));
  expect(said).toEqual(said.map(() => 'done\n'));
  const coordinator = createCoordinator(url);
  onTestFinished(() => coordinator.close());
  const counts = await Promise.all(['under-lock', 'compared'].map((path) => coordinator.config(path).get()));
  expect(counts.map((count) => count?.value)).toEqual([processes * times, processes * times]);
});
