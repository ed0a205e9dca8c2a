import { DataDirectory } from './data-directory.js';
import { freePort } from './ports.js';
import type { Server } from './server.js';
import { type Command, ServerProcess } from './server-process.js';
import type { Installation, StoreKind } from './store-kind.js';

const portAttempts = 3;

/** A server of our own from a program on this machine, as a child of this process. */
export async function installedServer(kind: StoreKind, installation: Installation): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(kind, installation);
    } catch (error) {
      // Somebody may have taken the port between the look and the start.
      if (attempt === portAttempts) throw error;
    }
  }
}

async function start(kind: StoreKind, installation: Installation): Promise<Server> {
  const directory = new DataDirectory(kind.name);
  const server = new ServerProcess(directory);
  try {
    const host = { host: '127.0.0.1', port: await freePort() };
    await directory.empty();
    const command = await installation.prepare(directory, host.port);
    const serve = (): Promise<void> => startAndProve(kind, directory, server, command, host);
    await serve();
    return {
      host,
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
  command: Command,
  host: Server['host'],
): Promise<void> {
  server.start(command);
  const ended = server.ended();
  // It also ends when it is killed on purpose, and then nobody asks.
  ended.catch(() => undefined);
  const identity = await Promise.race([kind.identify(host), ended]);
  if (identity.includes(directory.root)) return;
  throw new Error(`another server answers on 127.0.0.1:${host.port}`);
}
