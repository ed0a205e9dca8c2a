// A process whose main thread and two workers take turns on one lock until each had five, and which then ends by itself.
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { open } from './open.mjs';

const threads = 3;
const turnsEach = 5;

async function takeTurns({ port, thread, turns, inside, last }) {
  const coordinator = open({ port });
  const missing = () => turns.some((count) => count < turnsEach);
  // Nobody begins before all are connected.
  await coordinator.doubleBarrier('start', threads).enter();
  const faults = [];
  while (missing())
    await coordinator.lock('turns').with(async ({ token }) => {
      if (Atomics.add(inside, 0, 1) !== 0) faults.push(`${thread} was not alone`);
      if (Atomics.exchange(last, 0, token) >= token) faults.push(`${thread} had token ${token} after a greater one`);
      await setImmediate();
      Atomics.add(turns, thread, 1);
      Atomics.sub(inside, 0, 1);
    });
  await coordinator.close();
  return faults;
}

if (isMainThread) {
  const shared = {
    port: Number(process.argv[2]),
    turns: new Int32Array(new SharedArrayBuffer(threads * 4)),
    inside: new Int32Array(new SharedArrayBuffer(4)),
    last: new BigInt64Array(new SharedArrayBuffer(8)),
  };
  const workers = Array.from({ length: threads - 1 }, (_, index) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { ...shared, thread: index + 1 } });
    return { said: once(worker, 'message'), exit: once(worker, 'exit') };
  });
  const faults = await takeTurns({ ...shared, thread: 0 });
  const exits = [];
  for (const { said, exit } of workers) {
    faults.push(...(await said)[0]);
    exits.push((await exit)[0]);
  }
  console.log(JSON.stringify({ turns: [...shared.turns], faults, exits }));
} else {
  parentPort.postMessage(await takeTurns(workerData));
}
