import type { Answer, Connection, Node, NodeEvent, NodeStat } from './connection.js';
import type { SessionKeeper } from './session-keeper.js';

/** Which one-shot watch of a path: of the node itself, or of its list of children. */
export type WatchKind = 'node' | 'children';

/** Somebody who reads again whenever a path may have changed. */
export interface Rereader {
  /** Whether it read what its watch would tell a change of. */
  readonly settled: boolean;
  reread(connection: Connection): void;
  /** The server told that the node is gone. */
  deleted(connection: Connection): void;
}

interface Armed {
  stat: NodeStat | null;
}

/**
 * Who watches which path. The server keeps one watch per path and kind however often it is asked, and tells once; here everybody
 * concerned is told, and reads again. Where a new connection takes over the watches of the one before, those read again that were in the middle
 * of it; otherwise everybody does.
 */
export class PathTable {
  readonly #rereaders: Record<WatchKind, Map<string, Set<Rereader>>> = { node: new Map(), children: new Map() };
  #armed = new Map<string, Armed>();
  /** Paths that nobody asks for any more, and may have a watch. */
  readonly #abandoned = new Set<string>();
  #connection: Connection | null = null;

  constructor(keeper: SessionKeeper) {
    keeper.onAttached((connection) => this.#attach(connection));
    keeper.heartbeat.onBeat((connection) => this.#sweep(connection));
  }

  /** The connection to read on, or `null` during an outage: {@link Rereader.reread} follows. */
  get connection(): Connection | null {
    return this.#connection?.usable === true ? this.#connection : null;
  }

  add(kind: WatchKind, path: string, rereader: Rereader): () => void {
    const rereaders = this.#rereaders[kind];
    const there = rereaders.get(path) ?? new Set();
    rereaders.set(path, there.add(rereader));
    this.#abandoned.delete(path);
    return () => {
      if (!there.delete(rereader) || there.size > 0 || rereaders.get(path) !== there) return;
      rereaders.delete(path);
      if (!this.#isAsked(path)) this.#abandoned.add(path);
    };
  }

  /** Somebody who is no longer here may have armed a watch only now. */
  left(path: string): void {
    if (!this.#isAsked(path)) this.#abandoned.add(path);
  }

  /** Reads a node and watches it, for {@link PathTable.known}. */
  async arm(connection: Connection, path: string): Promise<Answer<Node>> {
    const armed: Armed = { stat: null };
    if (connection === this.#connection) this.#armed.set(path, armed);
    const answer = await connection.get(path, true);
    if (answer.ok) armed.stat = answer.value.stat;
    else if (this.#armed.get(path) === armed) this.#armed.delete(path);
    return answer;
  }

  /** What an armed node is like, as long as no change was told; a watch for it costs nothing. */
  known(path: string): NodeStat | null {
    return this.connection === null ? null : (this.#armed.get(path)?.stat ?? null);
  }

  #attach(connection: Connection): void {
    this.#connection = connection;
    if (!connection.carriesWatches) {
      this.#armed = new Map();
      this.#abandoned.clear();
    }
    connection.onEvent((event) => {
      if (this.#connection === connection) this.#tell(event);
    });
    for (const rereaders of Object.values(this.#rereaders)) {
      for (const rereader of [...rereaders.values()].flatMap((there) => [...there]))
        if (!connection.carriesWatches || !rereader.settled) rereader.reread(connection);
    }
  }

  // Most watches of those who left fire soon: only what is still there at the next heartbeat costs a request.
  #sweep(connection: Connection): void {
    for (const path of this.#abandoned) if (connection.unwatch(path)) this.#armed.delete(path);
    this.#abandoned.clear();
  }

  #isAsked(path: string): boolean {
    return Object.values(this.#rereaders).some((rereaders) => rereaders.has(path));
  }

  #tell({ type, path }: NodeEvent): void {
    const { connection } = this;
    if (type !== 'child') this.#armed.delete(path);
    if (type === 'deleted') this.#abandoned.delete(path);
    if (connection === null) return;
    const poke = (kind: WatchKind): void => {
      for (const rereader of [...(this.#rereaders[kind].get(path) ?? [])]) {
        if (type === 'deleted') rereader.deleted(connection);
        else rereader.reread(connection);
      }
    };
    if (type !== 'child') poke('node');
    if (type !== 'changed') poke('children');
  }
}
