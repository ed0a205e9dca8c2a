import type { Answer, Connection } from './connection.js';
import type { Heartbeat } from './heartbeat.js';
import { childOf } from './keys.js';

/** An entry whose `enter` was refused. */
export interface UnwantedEntry {
  /** The directory it is in. */
  readonly dir: string;
  /** Its name, or what that begins with. */
  readonly name: string;
  readonly isWhole: boolean;
  /** Id of the session that owns it. */
  readonly session: string;
}

/**
 * Entries that the server refused to show or to delete. Each is asked for again with every heartbeat, until it is gone, or its session is:
 * it would stand in the way of everybody behind it for as long as that lives.
 */
export class Unwanted {
  readonly #entries = new Set<UnwantedEntry>();
  readonly #asked = new Set<UnwantedEntry>();

  constructor(heartbeat: Heartbeat) {
    heartbeat.onBeat((connection) => {
      for (const entry of this.#entries) if (!this.#asked.has(entry)) void this.#remove(connection, entry);
    });
  }

  add(entry: UnwantedEntry): void {
    this.#entries.add(entry);
  }

  // Behind a heartbeat on the same connection, so that a server that lags behind does not say that there is none.
  async #remove(connection: Connection, entry: UnwantedEntry): Promise<void> {
    this.#asked.add(entry);
    const isOver = connection.identity.id !== entry.session;
    if (isOver || (await isGone(connection, entry))) this.#entries.delete(entry);
    this.#asked.delete(entry);
  }
}

// A directory that may not be listed does not keep anybody from deleting what he knows the name of.
async function isGone(connection: Connection, { dir, name, isWhole }: UnwantedEntry): Promise<boolean> {
  if (isWhole) return isDeleted(await connection.delete(childOf(dir, name), 'any'));
  const listed = await connection.children(dir, false);
  if (!listed.ok) return listed.code === 'no-node';
  const found = listed.value.names.find((each) => each.startsWith(name));
  return found === undefined || isDeleted(await connection.delete(childOf(dir, found), 'any'));
}

/** Whether a deletion was answered by the node being gone, whoever did that. */
export function isDeleted(answer: Answer<null>): boolean {
  return answer.ok || answer.code === 'no-node';
}
