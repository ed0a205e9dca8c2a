import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { CoordinationError, createCoordinator } from 'concordat';
import { afterEach, describe, expect, it } from 'vitest';

const limitMs = 1_200;
const slackMs = 800;
const servers: Server[] = [];

// Also shows that a closed coordinator holds no connection: a server closes only when all of its own are gone.
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const strangers = {
  'a port where nobody answers': async () => {
    const port = await listen(createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    return port;
  },
  'an HTTP server': () => listen(createHttpServer((_request, response) => response.writeHead(200).end('hello'))),
  'a server that says nothing': () =>
    listen(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('end', () => socket.end());
        socket.resume();
      }),
    ),
  'a server that hangs up': () => listen(createServer((socket) => socket.destroy())),
};

async function outcome(work: Promise<unknown>): Promise<{ readonly error: unknown; readonly tookMs: number }> {
  const start = performance.now();
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, tookMs: performance.now() - start };
}

describe.each(['etcd', 'zookeeper'])('%s', (scheme) => {
  it.each(Object.entries(strangers))(
    'on %s ends every call with a typed error within its limit',
    async (what, start) => {
      const url = `${scheme}://user:s3cret@127.0.0.1:${await start()}/ns?requestTimeout=${limitMs}ms`;
      const coordinator = createCoordinator(url);
      const lock = coordinator.lock('a');
      const [ready, acquired, tried] = await Promise.all([
        outcome(coordinator.ready({ timeoutMs: limitMs })),
        outcome(lock.acquire({ timeoutMs: limitMs })),
        outcome(lock.tryAcquire()),
      ]);
      const codes = [ready, acquired, tried].map(({ error }) =>
        CoordinationError.is(error) ? error.code : String(error),
      );
      expect(codes).toEqual(['TIMEOUT', 'TIMEOUT', 'UNAVAILABLE']);
      for (const { error, tookMs } of [ready, acquired, tried]) {
        expect(tookMs).toBeLessThan(limitMs + slackMs);
        expect(String(error) + String((error as Error).cause)).not.toContain('s3cret');
      }
      // What was seen instead of the store; with a silent one the limit of its first request passes as this one does.
      const { cause } = ready.error as Error;
      expect(CoordinationError.is(cause) || (what === 'a server that says nothing' && cause === undefined)).toBe(true);
      const closing = await outcome(coordinator.close());
      expect(closing).toMatchObject({ error: undefined });
      expect(closing.tookMs).toBeLessThan(2 * limitMs + slackMs);
    },
  );
});
