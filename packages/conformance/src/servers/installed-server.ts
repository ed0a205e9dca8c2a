import type { Host } from '@concordat/core/spi';
import { DataDirectory } from './data-directory.js';
import { freePort } from './ports.js';
import type { Server } from './server.js';
import { ServerProcess } from './server-process.js';
import type { Installation, Prepared, StoreKind } from './store-kind.js';

const portAttempts = 3;

/** A server of our own whose settings can change. */
export interface InstalledServer extends Server {
  /** Kills it and starts it as this installation prepares it, on the same address with the same data. */
  restart(installation: Installation): Promise<void>;
}

/** A server of our own from a program on this machine, as a child of this process. */
export async function installedServer(kind: StoreKind, installation: Installation): Promise<InstalledServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(kind, installation);
    } catch (error) {
      // Somebody may have taken the port between the look and the start.
      if (attempt === portAttempts) throw error;
    }
  }
}

async function start(kind: StoreKind, installation: Installation): Promise<InstalledServer> {
  const directory = new DataDirectory(kind.name);
  const server = new ServerProcess(directory);
  try {
    const ports = { client: await freePort(), door: await freePort() };
    await directory.empty();
    let prepared = await installation.prepare(directory, ports);
    const door = (): Host => ({ host: '127.0.0.1', port: prepared.door ?? ports.client });
    const serve = (): Promise<void> => startAndProve(kind, directory, server, prepared, door());
    await serve();
    return {
      host: { host: '127.0.0.1', port: ports.client },
      get door() {
        return door();
      },
      control: {
        freeze: () => server.freeze(),
        thaw: () => server.thaw(),
        kill: () => server.kill(),
        start: serve,
        wipe: async () => {
          await server.kill();
          await directory.empty();
          await serve();
        },
        backUp: async () => {
          // What a process that stands still has written is what would be there after a power cut.
          await server.freeze();
          const copy = await directory.copy().finally(() => server.thaw());
          return {
            restore: async () => {
              await server.kill();
              await directory.replace(copy);
              await serve();
            },
          };
        },
      },
      restart: async (next) => {
        await server.kill();
        prepared = await next.prepare(directory, ports);
        await serve();
      },
      stop: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Resolves when this very server answers on the port: another one there would not know our directory. */
async function startAndProve(
  kind: StoreKind,
  directory: DataDirectory,
  server: ServerProcess,
  prepared: Prepared,
  door: Host,
): Promise<void> {
  server.start(prepared);
  const ended = server.ended();
  // It also ends when it is killed on purpose, and then nobody asks.
  ended.catch(() => undefined);
  const identity = await Promise.race([kind.identify(door), ended]);
  if (identity.includes(directory.root)) return;
  throw new Error(`another server answers on 127.0.0.1:${door.port}`);
}
