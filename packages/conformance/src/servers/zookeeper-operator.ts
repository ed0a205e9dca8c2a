import type { Host } from '@concordat/core/spi';
import type { Operator } from '../harness.js';
import type { Credentials } from './credentials.js';
import { writeSteadily } from './steady-writer.js';
import { ZooKeeperClient } from './zookeeper-client.js';
import { ZooKeeperRefusal, zooKeeperCodes } from './zookeeper-connection.js';

// Its own client may take it back meanwhile.
const takeovers = 50;
const bystanderPath = '/bystander';

/** Somebody at ZooKeeper's own door; each call has a session of its own. */
export class ZooKeeperOperator implements Operator {
  readonly #host: Host;
  readonly #credentials: Credentials | undefined;

  constructor(host: Host, credentials?: Credentials) {
    this.#host = host;
    this.#credentials = credentials;
  }

  keys(namespace: string): Promise<readonly string[]> {
    return this.#with(async (client) => {
      const found: string[] = [];
      const visit = async (key: string): Promise<void> => {
        const names = await orAbsent(client.getChildren(pathOf(namespace, key)), []);
        const keys = names.map((name) => (key === '' ? name : `${key}/${name}`));
        found.push(...keys);
        await Promise.all(keys.map(visit));
      };
      await visit('');
      return found.sort();
    });
  }

  entries(namespace: string, dir: string): Promise<readonly string[]> {
    return this.#with(async (client) => {
      const path = pathOf(namespace, dir);
      const names = await orAbsent(client.getChildren(path), []);
      const created = await Promise.all(names.map((name) => orAbsent(client.created(`${path}/${name}`), null)));
      return names
        .map((name, index) => ({ name, created: created[index] ?? null }))
        .filter((entry): entry is { name: string; created: bigint } => entry.created !== null)
        .sort((one, other) => (one.created < other.created ? -1 : 1))
        .map(({ name }) => name);
    });
  }

  deleteEntry(namespace: string, dir: string, name: string): Promise<void> {
    return this.#with((client) => client.delete(`${pathOf(namespace, dir)}/${name}`));
  }

  write(namespace: string, key: string, value: Uint8Array): Promise<void> {
    return this.#with((client) => store(client, pathOf(namespace, key), value));
  }

  /** Takes the session over, which anybody who knows its id can, and closes it. */
  async expireSession(id: string): Promise<void> {
    const sessionId = BigInt(`0x${id.replace(/^0x/, '')}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ZooKeeperClient.endSession(this.#host, sessionId, this.#credentials);
      } catch (error) {
        const over = isRefusal(error, zooKeeperCodes.sessionExpired);
        if (over && attempt > 1) return;
        if (over || attempt === takeovers) throw error;
      }
    }
  }

  writeSteadily(): Promise<() => Promise<void>> {
    return writeSteadily(async () => {
      const client = await this.#open();
      await store(client, bystanderPath, Buffer.alloc(0));
      return { write: () => client.setData(bystanderPath, Buffer.alloc(0)), close: () => client.close() };
    });
  }

  #open(): Promise<ZooKeeperClient> {
    return ZooKeeperClient.open(this.#host, { credentials: this.#credentials });
  }

  async #with<Result>(act: (client: ZooKeeperClient) => Promise<Result>): Promise<Result> {
    const client = await this.#open();
    try {
      return await act(client);
    } finally {
      await client.close();
    }
  }
}

function pathOf(namespace: string, key: string): string {
  return `/${[namespace, key].filter((part) => part !== '').join('/')}`;
}

async function store(client: ZooKeeperClient, path: string, value: Uint8Array): Promise<void> {
  try {
    await client.setData(path, value);
  } catch (error) {
    if (!isRefusal(error, zooKeeperCodes.noNode)) throw error;
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (parent !== '' && (await orAbsent(client.created(parent), null)) === null)
      await store(client, parent, Buffer.alloc(0));
    await client.create(path, value);
  }
}

async function orAbsent<Value, Absent>(asked: Promise<Value>, absent: Absent): Promise<Value | Absent> {
  try {
    return await asked;
  } catch (error) {
    if (isRefusal(error, zooKeeperCodes.noNode)) return absent;
    throw error;
  }
}

function isRefusal(error: unknown, code: number): boolean {
  return error instanceof ZooKeeperRefusal && error.code === code;
}
