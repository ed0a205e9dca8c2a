import { once } from 'node:events';
import { isMainThread, Worker } from 'node:worker_threads';
import { createCoordinator } from '@concordat/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { zookeeper } from '../src/index.js';
import { eventually } from './support/eventually.js';
import { program, run } from './support/program.js';
import { TestServer } from './support/server.js';

describe('worker threads', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('take turns on one lock with the main thread, and the process ends by itself', async () => {
    const { lingeredMs, stdout, ...ended } = await run(program('turns'), String(server.port));
    expect(ended).toEqual({ code: 0, stderr: '' });
    const { turns, faults, exits } = JSON.parse(stdout) as { turns: number[]; faults: string[]; exits: number[] };
    expect(faults).toEqual([]);
    expect(exits).toEqual([0, 0]);
    expect(Math.min(...turns)).toBeGreaterThanOrEqual(5);
    expect(lingeredMs).toBeLessThan(500);
  });

  it('that are terminated with an open session harm nobody, and what they held is free when it times out', async () => {
    expect(isMainThread).toBe(true);
    const coordinator = createCoordinator(zookeeper, {
      hosts: [{ host: '127.0.0.1', port: server.port }],
      namespace: 'programs',
      sessionTimeoutMs: 3_000,
      allowShortSession: true,
    });
    onTestFinished(() => coordinator.close());
    const mine = await coordinator.lock('mine').acquire();
    const worker = new Worker(program('hold'), { workerData: { port: server.port, lock: 'theirs' } });
    const said: { readonly connected?: string; readonly holding?: boolean }[] = [];
    worker.on('message', (message: (typeof said)[number]) => said.push(message));
    await eventually(() => said.some(({ holding }) => holding === true));
    const session = `0x${said[0]?.connected ?? ''}`;
    expect(await server.ask('dump')).toContain(session);

    await worker.terminate();
    const terminatedAt = performance.now();
    expect(await coordinator.lock('theirs').tryAcquire()).toBeUndefined();
    const theirs = await coordinator.lock('theirs').acquire({ timeoutMs: 10_000 });
    // No sooner than its time is up, as the server counts it: from its last sign of life, in half ticks.
    expect(performance.now() - terminatedAt).toBeGreaterThan(1_500);
    expect(await server.ask('dump')).not.toContain(session);
    theirs.assertHeld();
    mine.assertHeld();
  });

  it('can be started again and again', async () => {
    for (let round = 0; round < 3; round += 1) {
      const worker = new Worker(program('hold'), { workerData: { port: server.port, lock: `again ${String(round)}` } });
      const [{ connected }] = (await once(worker, 'message')) as [{ connected: string }];
      expect(connected).toMatch(/^[0-9a-f]+$/);
      await worker.terminate();
    }
  });
});
