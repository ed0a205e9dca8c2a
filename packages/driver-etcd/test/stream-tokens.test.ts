import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { status } from '../src/protocol.js';
import { Transport } from '../src/transport.js';

const same = (bytes: Buffer): Buffer => bytes;

/** A store of a kind that we know only from its sources: it looks at the token of a stream, and ends it when that is stale. */
async function strictServer(): Promise<{ readonly port: number; readonly tokens: unknown[] }> {
  const tokens: unknown[] = [];
  const server = new Server();
  const keepAlive = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    const [token] = call.metadata.get('token');
    tokens.push(token);
    if (token !== 'token-2') call.emit('error', { code: 16, details: 'etcdserver: invalid auth token' });
  };
  let given = 0;
  const authenticate = (_: unknown, reply: (error: null, bytes: Buffer) => void): void => {
    given += 1;
    const token = Buffer.from(`token-${String(given)}`);
    // An AuthenticateResponse has its token in field 2.
    reply(null, Buffer.concat([Buffer.of(0x12, token.length), token]));
  };
  server.register('/etcdserverpb.Lease/LeaseKeepAlive', keepAlive, same, same, 'bidi');
  server.register('/etcdserverpb.Auth/Authenticate', authenticate, same, same, 'unary');
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { port, tokens };
}

it('SEC-18 opens a stream with a new token after one that was refused for its own', async () => {
  const { port, tokens } = await strictServer();
  const transport = new Transport({
    hosts: [{ host: '127.0.0.1', port }],
    tls: null,
    credentials: { username: 'a', password: 'b' },
  });
  onTestFinished(() => transport.close());
  await transport.authenticate(1_000);
  const open = (): void => {
    transport.keepAlive({
      message: () => undefined,
      ended: ({ code }) => {
        if (code === status.unauthenticated) setTimeout(open, 20);
      },
    });
  };
  open();
  await expect.poll(() => tokens).toContain('token-2');
  expect(tokens[0]).toBe('token-1');
});
