import type { Host } from '@concordat/core/spi';
import { type Raw, requireFrom } from './raw.js';

type Done = (error: Error | null, reply?: unknown) => void;
type Unary = (request: unknown, metadata: object, options: object, done: Done) => void;

interface Pool {
  getServiceClient(name: string): Readonly<Record<string, Unary>>;
  close(): void;
}

/** The generated stub of npm `etcd3` without the package's own retries and breakers, as the driver uses it. */
export async function rawEtcd({ host, port }: Host): Promise<Raw> {
  const load = requireFrom('@concordat/driver-etcd');
  const { Host: EtcdHost } = load('etcd3/lib/connection-pool.js') as {
    Host: new (address: string, credentials: unknown, options: object) => Pool;
  };
  const grpc = load('@grpc/grpc-js') as {
    credentials: { createInsecure(): unknown };
    Metadata: new () => object;
  };
  const pool = new EtcdHost(`${host}:${port}`, grpc.credentials.createInsecure(), { 'concordat.connection': 'raw' });
  const metadata = new grpc.Metadata();
  const call = (service: string, method: string, request: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const limit = { deadline: Date.now() + 5_000 };
      pool
        .getServiceClient(service)
        [method]?.(request, metadata, limit, (error, reply) => (error === null ? resolve(reply) : reject(error)));
    });
  const { ID: lease } = (await call('Lease', 'leaseGrant', { TTL: 600 })) as { ID: string };
  const value = Buffer.from('raw');
  let count = 0;
  return {
    create: async () => {
      count += 1;
      const key = `raw/${lease}-${count}`;
      await call('KV', 'put', { key: Buffer.from(key), value, lease });
      return key;
    },
    remove: async (key) => {
      await call('KV', 'deleteRange', { key: Buffer.from(key) });
    },
    close: async () => {
      await call('Lease', 'leaseRevoke', { ID: lease });
      pool.close();
    },
  };
}
