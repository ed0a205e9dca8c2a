import type { Clock, Timer } from '@concordat/core/spi';
import type { Answer, Connection, Failure, Node } from './connection.js';
import { isFatal } from './errors.js';
import type { PathTable, Rereader, WatchKind } from './path-table.js';

const retryMs = 1000;

/** What a level-triggered read needs. */
export interface LevelReadOptions<State> {
  readonly table: PathTable;
  readonly clock: Clock;
  readonly kind: WatchKind;
  readonly path: string;
  /** Reads the state and arms the watch that tells of its next change. */
  read(connection: Connection): Promise<Answer<State>>;
  deliver(state: State): void;
  /** The state of a deleted node, where nobody has to wait for its return; without it the node is read again. */
  readonly whenDeleted?: State;
  /** Only for failures that waiting does not cure. */
  fail(failure: Failure): void;
}

/**
 * Follows one path: each notification is answered by one read, which arms the next. Never two reads at once, and a change that is told
 * during a read is followed by another, so that the last state is always delivered. Delivers before it reads again.
 */
export class LevelRead<State> implements Rereader {
  readonly #options: LevelReadOptions<State>;
  readonly #leave: () => void;
  #reading: Connection | null = null;
  #settled = false;
  #again = false;
  #stopped = false;
  #retry: Timer | null = null;

  constructor(options: LevelReadOptions<State>) {
    this.#options = options;
    this.#leave = options.table.add(options.kind, options.path, this);
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Reads for the first time, now or when there is a connection. */
  start(): this {
    const { connection } = this.#options.table;
    if (connection !== null) this.reread(connection);
    return this;
  }

  stop(): void {
    this.#stopped = true;
    this.#retry?.cancel();
    this.#leave();
  }

  reread(connection: Connection): void {
    if (this.#stopped) return;
    this.#settled = false;
    this.#again = this.#reading === connection;
    if (!this.#again) void this.#read(connection);
  }

  deleted(connection: Connection): void {
    const { whenDeleted } = this.#options;
    // An answer that is on its way may be older than the news.
    if (whenDeleted === undefined || this.#reading === connection) this.reread(connection);
    else this.#options.deliver(whenDeleted);
  }

  async #read(connection: Connection): Promise<void> {
    this.#reading = connection;
    const answer = await this.#options.read(connection);
    if (this.#stopped) this.#options.table.left(this.#options.path);
    if (!this.#isReading(connection)) return;
    this.#reading = null;
    this.#settled = answer.ok && !this.#again;
    if (answer.ok) this.#options.deliver(answer.value);
    else if (isFatal(answer)) this.#options.fail(answer);
    else if (connection.usable) this.#retry = this.#options.clock.setTimer(() => this.start(), retryMs);
    if (this.#again) this.reread(connection);
  }

  /** False once it was stopped, or another connection took over and reads by itself. */
  #isReading(connection: Connection): boolean {
    return !this.#stopped && this.#reading === connection;
  }
}

/** Reads a node and watches it; where it is missing, no watch is left. */
export async function readExisting(connection: Connection, path: string): Promise<Answer<Node | null>> {
  return orNull(await connection.get(path, true));
}

/** What was read, or `null` where there is no node. */
export function orNull<Value>(answer: Answer<Value>): Answer<Value | null> {
  return !answer.ok && answer.code === 'no-node' ? { ok: true, value: null } : answer;
}

/** Reads a node and watches it; where it is missing, its creation is watched. */
export async function readNode(connection: Connection, path: string): Promise<Answer<Node | null>> {
  return readOrAwait(connection, path, () => connection.get(path, true));
}

/** Lists a directory and watches it; where it is missing, its creation is watched and it is an empty one. */
export async function readNames(connection: Connection, path: string): Promise<Answer<readonly string[] | null>> {
  return readOrAwait(connection, path, async () => {
    const listed = await connection.children(path, true);
    return listed.ok ? { ok: true, value: listed.value.names } : listed;
  });
}

async function readOrAwait<State>(
  connection: Connection,
  path: string,
  read: () => Promise<Answer<State>>,
): Promise<Answer<State | null>> {
  for (;;) {
    const answer = await read();
    if (answer.ok || answer.code !== 'no-node') return answer;
    const missing = await connection.exists(path, true);
    if (!missing.ok) return orNull<State>(missing);
    // It came in between.
  }
}
