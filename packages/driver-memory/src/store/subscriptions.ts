import type { Connection } from './connection.js';
import { directoryOf } from './paths.js';
import type { Stored, Target } from './protocol.js';

interface Subscription {
  readonly watch: number;
  readonly connection: Connection;
}

/** Who is told of which changes, and on which connection. */
export class Subscriptions {
  readonly #byTarget = new Map<string, Set<Subscription>>();
  readonly #byConnection = new Map<Connection, Map<number, () => void>>();

  add(connection: Connection, watch: number, target: Target): void {
    const subscription = { watch, connection };
    const address = addressOf(target);
    const watchers = this.#byTarget.get(address) ?? new Set();
    this.#byTarget.set(address, watchers.add(subscription));
    const own = this.#byConnection.get(connection) ?? new Map<number, () => void>();
    this.#byConnection.set(connection, own);
    own.set(watch, () => {
      watchers.delete(subscription);
      if (watchers.size === 0 && this.#byTarget.get(address) === watchers) this.#byTarget.delete(address);
    });
  }

  remove(connection: Connection, watch: number): void {
    const own = this.#byConnection.get(connection);
    own?.get(watch)?.();
    own?.delete(watch);
  }

  /** Forgets whatever a connection watched. */
  drop(connection: Connection): void {
    for (const remove of this.#byConnection.get(connection)?.values() ?? []) remove();
    this.#byConnection.delete(connection);
  }

  tell(key: string, stored: Stored | null): void {
    this.#tell(addressOf({ of: 'key', path: key }), key, stored);
    this.#tell(addressOf({ of: 'directory', path: directoryOf(key) }), key, stored);
  }

  #tell(address: string, key: string, stored: Stored | null): void {
    for (const { connection, watch } of this.#byTarget.get(address) ?? []) {
      connection.tell({ type: 'changed', watch, key, stored });
    }
  }
}

function addressOf(target: Target): string {
  return `${target.of}:${target.path}`;
}
