import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { StartedTestContainer, WaitStrategy } from 'testcontainers';
import { freePort } from './ports.js';
import type { Server } from './server.js';
import type { StoreKind } from './store-kind.js';

type Testcontainers = typeof import('testcontainers');

/** Where the images keep everything that outlasts a restart. */
const dataFolder = '/data';

/** The package `testcontainers` and an engine that answers it; `null` when either is missing. */
export async function findEngine(): Promise<Testcontainers | null> {
  try {
    const testcontainers = await import('testcontainers');
    await testcontainers.getContainerRuntimeClient();
    return testcontainers;
  } catch {
    return null;
  }
}

/** A server of our own in a container; frozen by the engine's pause, which stops every process in it. */
export async function containerServer(kind: StoreKind, engine: Testcontainers): Promise<Server> {
  const { container: client } = await engine.getContainerRuntimeClient();
  // The engine gives a random port anew at each start, so we choose one.
  const port = await freePort();
  let container = await create(kind, engine, port);
  const host = { host: container.getHost(), port };
  const serves = async (): Promise<void> => {
    await kind.identify(host);
  };
  const handle = () => client.getById(container.getId());
  const kill = async (): Promise<void> => {
    const ended = handle().wait();
    await handle().kill({ signal: 'SIGKILL' });
    await ended;
  };
  const remove = (): Promise<void> => handle().remove({ force: true, v: true });
  const renew = async (data: Buffer | null): Promise<void> => {
    await remove();
    container = await create(kind, engine, port, data);
    await serves();
  };
  try {
    await serves();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    host,
    door: host,
    control: {
      freeze: () => handle().pause(),
      thaw: () => handle().unpause(),
      kill,
      start: async () => {
        await handle().start();
        await serves();
      },
      wipe: () => renew(null),
      backUp: async () => {
        await handle().pause();
        const copy = await container
          .copyArchiveFromContainer(dataFolder)
          .then(buffer)
          .finally(() => handle().unpause());
        return { restore: () => renew(copy) };
      },
    },
    stop: remove,
  };
}

/** @param data an archive of the data folder; `null` for an empty one. */
function create(
  kind: StoreKind,
  engine: Testcontainers,
  port: number,
  data: Buffer | null = null,
): Promise<StartedTestContainer> {
  const image = kind.image();
  const container = new engine.GenericContainer(image.name)
    .withExposedPorts({ container: image.port, host: port })
    .withEnvironment({ ...image.environment })
    .withWaitStrategy(noWait);
  if (image.command !== null) container.withCommand([...image.command]);
  if (data !== null) container.withCopyArchivesToContainer([{ tar: Readable.from([data]), target: '/' }]);
  return container.start();
}

// The engine's own checks need a shell in the image or a line in the log; we ask the store itself.
const noWait: WaitStrategy = {
  waitUntilReady: () => Promise.resolve(),
  withStartupTimeout: () => noWait,
  isStartupTimeoutSet: () => true,
  getStartupTimeout: () => 60_000,
};
