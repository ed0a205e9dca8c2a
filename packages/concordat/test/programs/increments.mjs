// Counts up, as one of several processes: under a lock with a read and a write, and by compare-and-set. Says when it is done.
import { createCoordinator } from 'concordat';

const [url, processes, times] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const coordinator = createCoordinator(url);
const underLock = coordinator.config('under-lock');
const compared = coordinator.config('compared');

// Nobody begins before all are there.
await coordinator.doubleBarrier('start', processes).enter();
for (let turn = 0; turn < times; turn += 1) {
  await coordinator.lock('counter').with(async () => {
    const current = await underLock.get();
    await underLock.set((current?.value ?? 0) + 1);
  });
  await compared.update((current) => (current ?? 0) + 1);
}
await coordinator.close();
console.log('done');
