import { type StoreNode, startZooKeeper } from '@concordat/conformance/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConcordatProcess, concordat } from './concordat-process.js';

describe('concordat lock on ZooKeeper', () => {
  const options = 'sessionTimeout=3s&allowShortSession=true';
  let store: StoreNode;
  beforeAll(async () => {
    store = await startZooKeeper();
  });
  afterAll(() => store.stop());

  it('keeps the lock and its command over a blip of the link, and passes its exit code on', async () => {
    const link = await store.link();
    const host = link.options.hosts?.find((each) => typeof each === 'string') ?? '';
    const script = "process.on('SIGHUP', () => process.exit(7)); console.log('up'); setInterval(() => {}, 1000)";
    const command = [process.execPath, '-e', script];
    const run = new ConcordatProcess(['lock', 'a', '--url', `zookeeper://${host}/blip?${options}`, '--', ...command]);
    await run.shows('up');
    link.flap();
    // It waits for longer than the session lives on without a connection.
    const next = ['lock', 'a', '--url', `${store.url}/blip?${options}`, '--timeout', '5s', '--quiet', '--', 'true'];
    expect((await concordat(next)).code).toBe(75);
    run.kill('SIGHUP');
    expect(await run.ended).toBe(7);
    expect(run.stderr).toBe('');
  });

  it('is ended at once by a signal when its command ended in an outage', async () => {
    const link = await store.link();
    const host = link.options.hosts?.find((each) => typeof each === 'string') ?? '';
    const script = "process.on('SIGHUP', () => process.exit(7)); console.log('up'); setInterval(() => {}, 1000)";
    const url = `zookeeper://${host}/outage?sessionTimeout=30s`;
    const run = new ConcordatProcess(['lock', 'a', '--url', url, '--', process.execPath, '-e', script]);
    await run.shows('up');
    link.blackhole();
    run.kill('SIGHUP');
    let end: number | string | null = null;
    void run.ended.then((how) => {
      end = how;
    });
    await expect
      .poll(() => {
        run.kill('SIGTERM');
        return end;
      })
      .toBe('SIGTERM');
  });

  it('hands no socket on to its command', async () => {
    const listing = ['ls', '-l', '/proc/self/fd'];
    const { code, stdout } = await concordat(['lock', 'b', '--url', `${store.url}/blip`, '--', ...listing]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ 2 -> /);
    // Our own pipes, which it has as its standard streams, are sockets.
    expect(stdout).not.toMatch(/ ([3-9]|\d{2,}) -> socket:/);
  });
});
