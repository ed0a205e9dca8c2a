// A worker thread that holds a lock until it is terminated, or says why it cannot.
import { parentPort, workerData } from 'node:worker_threads';
import { open } from './open.mjs';

const coordinator = open(workerData);
coordinator.session$.subscribe(({ state, id }) => {
  if (state === 'connected') parentPort.postMessage({ connected: id });
});
try {
  await coordinator.lock(workerData.lock).acquire();
  parentPort.postMessage({ holding: true });
} catch (error) {
  parentPort.postMessage({ refused: error.message });
  await coordinator.close();
}
