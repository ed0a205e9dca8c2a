import type { Answer, Connection, Created, Failure, NodeMode } from './connection.js';
import { lineage, parentOf } from './keys.js';

const empty = new Uint8Array(0);
// A container may be reaped between its creation and the next request; not time after time.
const mostTries = 4;

/** A create, and whatever was asked in the same flight. */
export interface Creation {
  readonly created: Answer<Created>;
}

/**
 * Makes missing directories: one flight per directory and connection, however many wait for it.
 *
 * Queue directories are containers, so that empty ones vanish (Curator#307); everything else stays, since a reaped register would
 * start its counter again.
 */
export class Parents {
  readonly #flights = new Map<string, { readonly connection: Connection; readonly made: Promise<Failure | null> }>();

  /**
   * Does `create`; where that finds no directory it makes one and creates again right behind it, without waiting in between:
   * requests of one connection are carried out in order.
   */
  async under<Made extends Creation>(
    connection: Connection,
    path: string,
    mode: 'persistent' | 'container',
    create: () => Promise<Made>,
  ): Promise<Made> {
    let made = await create();
    for (let tries = 1; tries < mostTries && isMissing(made.created); tries += 1) {
      const making = this.#make(connection, parentOf(path), mode);
      made = await create();
      const refused = await making;
      if (isMissing(made.created) && refused !== null) return { ...made, created: refused };
    }
    return made;
  }

  #make(connection: Connection, dir: string, mode: 'persistent' | 'container'): Promise<Failure | null> {
    const flight = this.#flights.get(dir);
    if (flight?.connection === connection) return flight.made;
    const made = createAll(connection, dir, mode).finally(() => {
      if (this.#flights.get(dir)?.made === made) this.#flights.delete(dir);
    });
    this.#flights.set(dir, { connection, made });
    return made;
  }
}

function isMissing(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.code === 'no-node';
}

// Those that exist already are no failure, also where creating beside them would be forbidden (CURATOR-221): the retry tells.
async function createAll(connection: Connection, dir: string, mode: NodeMode): Promise<Failure | null> {
  const line = lineage(dir);
  const answers = await Promise.all(
    line.map((path, index) => connection.create(path, empty, index === line.length - 1 ? mode : 'persistent')),
  );
  return answers.find((answer): answer is Failure => !answer.ok && answer.code !== 'node-exists') ?? null;
}
