import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const lowest = 15_000;
const count = 17_000;
// Test runners that work in several processes at a time say which of them this is; each has a share of its own.
const shares = 8;
const runner = Number(process.env['VITEST_POOL_ID'] ?? Number.NaN);
const share = Number.isSafeInteger(runner)
  ? { lowest: lowest + (runner % shares) * (count / shares), count: count / shares }
  : { lowest, count };
let next = randomInt(share.count);

/**
 * A TCP port of 127.0.0.1 that nobody listens on.
 *
 * It lies below the range from which systems take ports for outgoing connections, and is not given again before all others were: a server that
 * was killed, and a link that was cut, find their ports free when they come back.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < share.count; attempt += 1) {
    const port = share.lowest + next;
    next = (next + 1) % share.count;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free TCP port from ${share.lowest} on, of ${share.count}, on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
