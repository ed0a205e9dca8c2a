import { randomUUID } from 'node:crypto';
import {
  type Call,
  type Child,
  CoordinationError,
  type Entry,
  type Key,
  type Kind,
  type Place,
  type Ref,
  type Rule,
} from '@concordat/core/spi';
import type { Answer, Connection, Created, Failure, Listing, NodeStat } from './connection.js';
import { found, isFatal, readError, writeError } from './errors.js';
import { childOf, type Paths, parentOf } from './keys.js';
import { entryPrefix, lineOf, sequenceOrder } from './names.js';
import type { Creation } from './parents.js';
import type { PathTable } from './path-table.js';
import { toRegister } from './register-codec.js';
import type { SessionKeeper } from './session-keeper.js';
import { isDeleted, Unwanted } from './unwanted.js';

type EnterContext = { readonly epoch: number; readonly signal: AbortSignal };

/** My entry before its creation is known. */
type Mine = Omit<Entry, 'created' | 'seen'>;

/** What one flight of creating and listing answered. */
interface Entered extends Creation {
  readonly listing: Promise<Answer<Listing>>;
}

// Each further try means that the oldest entry left while it was looked at.
const mostTries = 16;

/** Ephemeral sequential nodes in Curator's layout. */
export class Entries {
  readonly #keeper: SessionKeeper;
  readonly #table: PathTable;
  readonly #paths: Paths;
  readonly #unwanted: Unwanted;

  constructor(keeper: SessionKeeper, table: PathTable, paths: Paths) {
    this.#keeper = keeper;
    this.#unwanted = new Unwanted(keeper.heartbeat);
    this.#table = table;
    this.#paths = paths;
  }

  async enter(dir: Key, kind: Kind, data: Uint8Array, rule: Rule, context: EnterContext): Promise<Place> {
    const { epoch } = context;
    const path = this.#paths.of(dir);
    let prefix = entryPrefix(randomUUID(), kind);
    let connection = this.#keeper.use(epoch);
    for (;;) {
      const { created, listing } = await this.#create(connection, childOf(path, prefix), data);
      let name = created.ok ? nameOf(created.value.path) : null;
      if (!created.ok && created.code === 'lost') {
        connection = await this.#keeper.attached(epoch);
        name = await this.#search(path, prefix, epoch);
      } else if (!created.ok && created.code !== 'unsent') throw writeError(created, path);
      if (name !== null) {
        const place = await this.#settle(connection, { dir, kind, epoch, name }, rule, {
          listing,
          stat: statOf(created),
        });
        if (place !== null) return place;
        // Deleted by hand in the meantime: begin again, under a name never used before.
        prefix = entryPrefix(randomUUID(), kind);
      }
      if (context.signal.aborted) throw new CoordinationError('UNAVAILABLE', 'given up before an entry was made');
      connection = await this.#keeper.attached(epoch);
    }
  }

  async ahead(entry: Entry, rule: Rule): Promise<readonly Ref[] | null> {
    const path = this.#paths.of(entry.dir);
    const listing = found(await this.#keeper.use(entry.epoch).children(path, false), path);
    return aheadOf(entry, listing?.names ?? [], rule);
  }

  async update(entry: Entry, data: Uint8Array, call: Call): Promise<void> {
    const connection = this.#keeper.use(entry.epoch);
    call.markSent();
    const path = this.#pathOf(entry);
    const answer = await connection.set(path, data, 'any');
    if (answer.ok) return;
    if (answer.code === 'no-node')
      throw new CoordinationError('GRANT_LOST', `${path}: this entry is not there any more`);
    throw writeError(answer, path);
  }

  async leave(entry: Entry, call: Call): Promise<void> {
    const connection = this.#keeper.use(entry.epoch);
    call.markSent();
    const path = this.#pathOf(entry);
    const answer = await connection.delete(path, 'any');
    if (!answer.ok && answer.code !== 'no-node') throw writeError(answer, path);
  }

  async first(dir: Key): Promise<Child | null> {
    const path = this.#paths.of(dir);
    for (let tries = 0; tries < mostTries; tries += 1) {
      const connection = this.#keeper.use();
      const listed = await this.#keeper.heartbeat.behind((proven) => proven.children(path, false));
      const [oldest] = lineOf(found(listed, path)?.names ?? []);
      if (oldest === undefined) return null;
      const node = found(await connection.get(childOf(path, oldest.name), false), path);
      const { name, kind } = oldest;
      if (node !== null) return { name, kind, created: node.stat.created, register: toRegister(node) };
    }
    throw new CoordinationError('UNAVAILABLE', `${path}: the first entry changed each time it was read`);
  }

  /** Creates and lists in one flight: requests of one connection are carried out in order. */
  #create(connection: Connection, path: string, data: Uint8Array): Promise<Entered> {
    return this.#keeper.parents.under(connection, path, 'container', async () => {
      const creating = connection.create(path, data, 'ephemeral-sequential');
      const listing = connection.children(parentOf(path), false);
      return { created: await creating, listing };
    });
  }

  /**
   * The entry of a create whose reply was lost, or `null` when there is none. By now the server has closed the connection it
   * was sent on, so it cannot be applied later; the heartbeat ahead of the listing keeps a lagging server from answering.
   */
  async #search(dir: string, prefix: string, epoch: number): Promise<string | null> {
    for (;;) {
      const connection = await this.#keeper.attached(epoch);
      const listed = await this.#keeper.heartbeat.behind((proven) => proven.children(dir, false));
      if (listed.ok) return listed.value.names.find((name) => name.startsWith(prefix)) ?? null;
      if (listed.code === 'no-node') return null;
      if (!connection.usable) continue;
      this.#unwanted.add({ dir, prefix, session: connection.identity.id });
      throw readError(listed, dir);
    }
  }

  /**
   * My place. Where the creation did not tell when it was, my own entry is read, and watched with that. `null` when it is not there any more. Goes
   * on over reconnects.
   */
  async #settle(
    first: Connection,
    mine: Mine,
    rule: Rule,
    flight: { readonly listing: Promise<Answer<Listing>>; readonly stat: NodeStat | null },
  ): Promise<Place | null> {
    const dir = this.#paths.of(mine.dir);
    const path = childOf(dir, mine.name);
    let [connection, listing] = [first, flight.listing];
    for (let { stat } = flight; ; stat = null) {
      const listed = await listing;
      const own = stat === null ? await this.#table.arm(connection, path) : null;
      if (own?.ok === true ? own.value.stat.owner !== connection.identity.id : own?.code === 'no-node') return null;
      const created = own?.ok === true ? own.value.stat.created : stat?.created;
      const place = created !== undefined && listed.ok ? placeOf(mine, created, listed.value.names, rule) : null;
      // Somebody may have gone between the two requests of a flight: then the others saw this entry where its place does not show it.
      if (place !== null)
        return { ...place, atCreation: stat !== null && listed.ok && listed.value.changed === created };
      await this.#refuse(connection, dir, mine.name, own === null ? [listed] : [own, listed]);
      connection = await this.#keeper.attached(mine.epoch);
      listing = connection.children(dir, false);
    }
  }

  // An entry that may not be read or listed is of no use: it is taken away again.
  async #refuse(connection: Connection, dir: string, name: string, answers: readonly Answer<unknown>[]): Promise<void> {
    const refusal = answers.find((answer): answer is Failure => !answer.ok && isFatal(answer));
    if (refusal === undefined) return;
    const path = childOf(dir, name);
    if (!isDeleted(await connection.delete(path, 'any')))
      this.#unwanted.add({ dir, prefix: name, session: connection.identity.id });
    throw readError(refusal, path);
  }

  #pathOf(entry: Entry): string {
    return childOf(this.#paths.of(entry.dir), entry.name);
  }
}

function placeOf(mine: Mine, created: bigint, names: readonly string[], rule: Rule): Place | null {
  const entry: Entry = { ...mine, created, seen: null };
  const ahead = aheadOf(entry, names, rule);
  return ahead === null ? null : { entry, ahead };
}

function statOf(created: Answer<Created>): NodeStat | null {
  return created.ok ? created.value.stat : null;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The nearest entries ahead that matter, oldest first; `null` when my own is not among the names. */
function aheadOf(entry: Entry, names: readonly string[], { of, limit }: Rule): readonly Ref[] | null {
  const line = lineOf(names);
  const mine = line.find(({ name }) => name === entry.name);
  if (mine === undefined) return null;
  return line
    .filter((other) => sequenceOrder(other, mine) < 0 && (of === undefined || other.kind === of))
    .slice(-limit)
    .map(({ name, kind }) => ({ dir: entry.dir, name, kind, created: null, seen: null }));
}
