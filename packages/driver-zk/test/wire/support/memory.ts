import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Without it what is measured is what was not collected yet.
setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

function isCallable(value: unknown): value is () => void {
  return typeof value === 'function';
}

/** Bytes that are in use, buffers included. */
export function bytesInUse(): number {
  if (!isCallable(collectGarbage)) throw new Error('this Node.js collects no garbage on demand');
  // The memory of dead buffers may be given back beside the collection, which the next one waits for.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
