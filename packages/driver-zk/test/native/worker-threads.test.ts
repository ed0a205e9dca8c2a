import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { freePort } from '@concordat/conformance/servers';
import { expect, inject, it } from 'vitest';
import { program } from '../support/program.js';

it('refuses in a worker thread, naming the transport that does not', async () => {
  const workerData = { port: await freePort(), driverOptions: inject('driverOptions'), lock: 'a' };
  const worker = new Worker(program('hold'), { workerData });
  const exit = once(worker, 'exit');
  const [{ refused }] = (await once(worker, 'message')) as [{ refused: string }];
  expect(refused).toMatch(/DRIVER_UNAVAILABLE.*worker thread.*transport=wire/);
  expect(await exit).toEqual([0]);
});
