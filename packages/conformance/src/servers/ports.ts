import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A TCP port of 127.0.0.1 that nobody listens on.
 *
 * It lies below the range from which systems take ports for outgoing connections, so that a server that was killed finds
 * its port free when it starts again.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no free TCP port between 15000 and 32000 on 127.0.0.1');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
