import { randomUUID } from 'node:crypto';
import {
  type Call,
  type Child,
  type Clock,
  CoordinationError,
  type Entry,
  type Key,
  type Kind,
  type Place,
  type Ref,
  type Rule,
} from '@concordat/core/spi';
import type { Answer, Connection, Created, Failure, Listing, Node, NodeStat } from './connection.js';
import { found, isFatal, readError, writeError } from './errors.js';
import { childOf, type Paths, parentOf } from './keys.js';
import { entryPrefix, lineOf, sequenceOrder } from './names.js';
import type { Creation } from './parents.js';
import type { PathTable } from './path-table.js';
import { toRegister } from './register-codec.js';
import { Retreat } from './retreat.js';
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
  readonly #clock: Clock;
  readonly #keeper: SessionKeeper;
  readonly #table: PathTable;
  readonly #paths: Paths;
  readonly #unwanted: Unwanted;

  constructor(keeper: SessionKeeper, table: PathTable, paths: Paths, clock: Clock) {
    this.#clock = clock;
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
        name = await this.#search(path, prefix, context);
      } else if (!created.ok && created.code !== 'unsent') throw writeError(created, path);
      if (name !== null) {
        const flight = { listing, stat: statOf(created) };
        const place = await this.#settle(connection, { dir, kind, epoch, name }, rule, flight, context);
        if (place !== null) return place;
        // Deleted by hand in the meantime: begin again, under a name never used before.
        prefix = entryPrefix(randomUUID(), kind);
      }
      const reason = gaveUpBy(context.signal);
      if (reason !== null) throw reason;
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
  async #search(dir: string, prefix: string, context: EnterContext): Promise<string | null> {
    const retreat = new Retreat(this.#clock, context.signal);
    for (;;) {
      const connection = await this.#keeper.attached(context.epoch);
      const listed = await this.#keeper.heartbeat.behind((proven) => proven.children(dir, false));
      if (listed.ok) return listed.value.names.find((name) => name.startsWith(prefix)) ?? null;
      if (listed.code === 'no-node') return null;
      if (!connection.usable) continue;
      const reason = isFatal(listed) ? readError(listed, dir) : gaveUpBy(context.signal);
      if (reason === null) await retreat.wait();
      else {
        this.#unwanted.add({ dir, name: prefix, isWhole: false, session: connection.identity.id });
        throw reason;
      }
    }
  }

  /**
   * My place. Where the creation did not tell when it was, my own entry is read, and watched with that. `null` when it is not there any more. Goes
   * on over reconnects, and while a server does not answer as it should until the caller has gone; then the entry is taken away.
   */
  async #settle(
    first: Connection,
    mine: Mine,
    rule: Rule,
    flight: { readonly listing: Promise<Answer<Listing>>; readonly stat: NodeStat | null },
    context: EnterContext,
  ): Promise<Place | null> {
    const dir = this.#paths.of(mine.dir);
    const path = childOf(dir, mine.name);
    let retreat: Retreat | null = null;
    let [connection, listing] = [first, flight.listing];
    for (let { stat } = flight; ; stat = null) {
      const listed = await listing;
      const own = stat === null ? await this.#table.arm(connection, path) : null;
      if (isGone(own, connection)) return null;
      const place = placeIn(mine, own, stat, listed, rule);
      if (place !== null) return place;
      const refusal = [own, listed].find(isRefusal);
      // Its signal is made when it is first read, which hardly ever is needed.
      retreat ??= new Retreat(this.#clock, context.signal);
      if (refusal === undefined && connection.usable) await retreat.wait();
      const reason = refusal === undefined ? gaveUpBy(context.signal) : readError(refusal, path);
      if (reason !== null) await this.#takeAway(connection, dir, mine.name, reason);
      connection = await this.#keeper.attached(mine.epoch);
      listing = connection.children(dir, false);
    }
  }

  /** Throws `reason` why an entry is wanted no more, once it was deleted, or left to be; not yet where there is no connection to do it. */
  async #takeAway(connection: Connection, dir: string, name: string, reason: CoordinationError): Promise<void> {
    const deleted = await connection.delete(childOf(dir, name), 'any');
    if (!deleted.ok && (deleted.code === 'unsent' || deleted.code === 'lost')) return;
    if (!isDeleted(deleted)) this.#unwanted.add({ dir, name, isWhole: true, session: connection.identity.id });
    throw reason;
  }

  #pathOf(entry: Entry): string {
    return childOf(this.#paths.of(entry.dir), entry.name);
  }
}

/** @param own as it was read, where its creation did not tell its `stat`. */
function placeIn(
  mine: Mine,
  own: Answer<Node> | null,
  stat: NodeStat | null,
  listed: Answer<Listing>,
  rule: Rule,
): Place | null {
  const created = own?.ok === true ? own.value.stat.created : stat?.created;
  if (created === undefined || !listed.ok) return null;
  const entry: Entry = { ...mine, created, seen: null };
  const ahead = aheadOf(entry, listed.value.names, rule);
  // Somebody may have gone between the two requests of a flight: then the others saw this entry where its place does not show it.
  return ahead === null ? null : { entry, ahead, atCreation: stat !== null && listed.value.changed === created };
}

/** Whether there is no such entry of this session. */
function isGone(own: Answer<Node> | null, { identity }: Connection): boolean {
  return own?.ok === true ? own.value.stat.owner !== identity.id : own?.code === 'no-node';
}

function isRefusal(answer: Answer<unknown> | null): answer is Failure {
  return answer?.ok === false && isFatal(answer);
}

function gaveUpBy({ aborted }: AbortSignal): CoordinationError | null {
  return aborted
    ? new CoordinationError('UNAVAILABLE', 'the caller gave up, and nothing of it is or will be there')
    : null;
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
