import { once } from 'node:events';
import type { Host } from '@concordat/core/spi';
import { type Raw, requireFrom } from './raw.js';

type Reply = (code: number, message: string, path?: string) => void;

interface Native {
  a_create(path: string, data: Buffer, flags: number, reply: Reply): number;
  a_delete_(path: string, version: number, reply: Reply): number;
}

interface Client {
  readonly native: Native;
  init(options: Readonly<Record<string, unknown>>): void;
  close(): void;
  once(event: string, listener: () => void): void;
}

const persistent = 0;
const ephemeralSequential = 3;

/** npm `zookeeper` without anything around it: plain callbacks of the native client. */
export async function rawNative({ host, port }: Host): Promise<Raw> {
  const ZooKeeper = requireFrom('@concordat/driver-zk')('zookeeper') as new () => Client & NodeJS.EventEmitter;
  const client = new ZooKeeper();
  client.init({ connect: `${host}:${port}`, timeout: 10_000, debug_level: 0, response_counter_limit: 2_147_483_647 });
  await once(client, 'connect');
  const { native } = client;
  const data = Buffer.from('raw');
  const create = (path: string, flags: number): Promise<string> =>
    new Promise((resolve, reject) => {
      native.a_create(path, data, flags, (code, message, created) =>
        code === 0 ? resolve(created ?? path) : reject(new Error(message)),
      );
    });
  const directory = `/raw-${process.pid}`;
  await create(directory, persistent);
  return {
    create: () => create(`${directory}/entry-`, ephemeralSequential),
    remove: (path) =>
      new Promise((resolve, reject) => {
        native.a_delete_(path, -1, (code, message) => (code === 0 ? resolve() : reject(new Error(message))));
      }),
    close: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      client.close();
    },
  };
}
