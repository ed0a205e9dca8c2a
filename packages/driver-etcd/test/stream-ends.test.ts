import { systemClock } from '@concordat/core/spi';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { Heartbeat } from '../src/heartbeat.js';
import { Transport } from '../src/transport.js';
import { WatchStream } from '../src/watch-stream.js';

const same = (bytes: Buffer): Buffer => bytes;
const nobody = (): void => undefined;

/** A store that ends every stream as soon as it is asked something, in good order and without a word. */
async function politeServer(): Promise<{ readonly transport: Transport; readonly ended: Record<string, number> }> {
  const ended: Record<string, number> = { Watch: 0, LeaseKeepAlive: 0 };
  const server = new Server();
  const end = (name: string) => (call: ServerDuplexStream<Buffer, Buffer>) => {
    call.once('data', () => {
      ended[name] = (ended[name] ?? 0) + 1;
      call.end();
    });
  };
  server.register('/etcdserverpb.Watch/Watch', end('Watch'), same, same, 'bidi');
  server.register('/etcdserverpb.Lease/LeaseKeepAlive', end('LeaseKeepAlive'), same, same, 'bidi');
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const transport = new Transport({ hosts: [{ host: '127.0.0.1', port }], tls: null, credentials: null });
  onTestFinished(() => {
    transport.close();
    server.forceShutdown();
  });
  return { transport, ended };
}

// etcd3#72: a watcher was silent for ever after a stream that ended in good order.
it('opens the stream of its watches again when the server ended it in good order', async () => {
  const { transport, ended } = await politeServer();
  const stream = new WatchStream(transport, systemClock, { requests: 0, heartbeats: 0, notifications: 0 });
  onTestFinished(() => stream.close());
  const listener = { opened: nobody, changed: nobody, restarted: nobody, refused: nobody };
  stream.watch({ key: Buffer.from('a') }, null, listener);
  await expect.poll(() => ended['Watch']).toBeGreaterThan(2);
});

// jetcd#965, #1383: renewals ended so, and nobody was told.
it('tells that it is cut, and renews on another stream, when the server ended that of its renewals in good order', async () => {
  const { transport, ended } = await politeServer();
  let cuts = 0;
  const heartbeat = new Heartbeat(
    transport,
    systemClock,
    { id: '7', key: Buffer.from('session/7'), timeoutMs: 4_000 },
    {
      confirmed: nobody,
      dead: nobody,
      keyMissing: nobody,
      cut: () => {
        cuts += 1;
      },
      orderBefore: () => 0n,
      saw: nobody,
      wentBack: nobody,
      sent: nobody,
    },
  );
  onTestFinished(() => heartbeat.stop());
  heartbeat.start();
  await expect.poll(() => ended['LeaseKeepAlive']).toBeGreaterThan(2);
  expect(cuts).toBeGreaterThan(1);
});
