import type { Clock } from '@concordat/core/spi';
import type { Connection } from './connection.js';
import { type KeySnapshot, KeySpace } from './key-space.js';
import { joinPath, nameOf } from './paths.js';
import type { AnswerOf, Envelope, Line, Operation, Placed, Refusal, Reply, RequestOf, Stored } from './protocol.js';
import { type SessionSnapshot, SessionTable } from './session-table.js';
import { Subscriptions } from './subscriptions.js';

/** Largest value that the store takes, in bytes. */
export const maxValueBytes = 1_048_576;
/** Shortest session that the store grants, in milliseconds. */
export const sessionFloorMs = 1_000;

type Handlers = {
  readonly [Op in Operation]: (request: RequestOf<Op>, from: Connection) => AnswerOf<Op>;
};

class RefusedRequest extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal);
  }
}

/** Data and sessions at one moment. */
export interface Snapshot {
  readonly keys: KeySnapshot;
  readonly sessions: readonly SessionSnapshot[];
}

/** Nothing, as a new store has it. */
export const nothing: Snapshot = { keys: { revision: 0n, stored: [] }, sessions: [] };

export interface ServiceOptions {
  readonly clock: Clock;
  /** False while the store is frozen or down: then no session expires. */
  readonly running: () => boolean;
  /** A new session's id, never used before. */
  readonly nameSession: () => string;
  /** What it begins with. */
  readonly from: Snapshot;
}

/** What a store does while it runs: applies each request as one step of its total order, and tells who watches. */
export class Service {
  readonly subscriptions = new Subscriptions();
  readonly keys: KeySpace;
  readonly sessions: SessionTable;
  readonly #handlers: Handlers;

  constructor(options: ServiceOptions) {
    this.keys = new KeySpace((key, stored) => this.subscriptions.tell(key, stored), options.from.keys);
    this.sessions = new SessionTable({
      clock: options.clock,
      running: options.running,
      ended: (id, speaksOn) => {
        speaksOn.tell({ type: 'ended', session: id });
        this.keys.removeOwnedBy(id);
      },
    });
    const { keys, sessions, subscriptions } = this;
    for (const { id, timeoutMs, speaksOn } of options.from.sessions) sessions.open(id, timeoutMs, speaksOn);
    this.#handlers = {
      open: ({ timeoutMs, marks }, from) => {
        const session = options.nameSession();
        const granted = Math.max(timeoutMs, sessionFloorMs);
        sessions.open(session, granted, from);
        keys.set(joinPath(marks, session), new TextEncoder().encode(session), session);
        return { session, timeoutMs: granted };
      },
      heartbeat: ({ session }, from) => ({ alive: sessions.renew(session, from) }),
      end: ({ session }) => {
        sessions.end(session);
        return null;
      },
      get: ({ key }) => keys.get(key),
      list: ({ dir }) => keys.inDirectory(dir),
      put: ({ key, value, expect, session }) => {
        requireFits(value);
        if (session !== null) this.#requireSession(session);
        const current = keys.get(key);
        if (expect !== 'any' && expect !== (current?.version ?? 'absent')) return { done: false, current };
        return { done: true, current: keys.set(key, value, session) };
      },
      delete: ({ key, version, created, owner }) => {
        const current = keys.get(key);
        const holds =
          (version ?? current?.version) === current?.version &&
          (created ?? current?.created) === current?.created &&
          (owner ?? current?.owner) === current?.owner;
        if (current === null || !holds) return { done: false, current };
        keys.remove(key);
        return { done: true, current: null };
      },
      enter: ({ session, key, value, unless, line }) => {
        requireFits(value);
        this.#requireSession(session);
        if (keys.get(unless) !== null) return null;
        // From before a restore: its owner has given that name up, and nobody takes over its place.
        keys.remove(key);
        return this.#place(keys.set(key, value, session), line);
      },
      settle: ({ session, key, mark, line }) => {
        this.#requireSession(session);
        const entry = keys.get(key);
        if (entry !== null) return this.#place(entry, line);
        keys.set(mark, new TextEncoder().encode(session), session);
        return null;
      },
      ahead: ({ key, created, line }) => {
        const entry = keys.get(key);
        return entry?.created === created ? this.#place(entry, line) : null;
      },
      update: ({ key, created, value }) => {
        requireFits(value);
        if (keys.get(key)?.created !== created) return false;
        keys.set(key, value, null);
        return true;
      },
      watch: ({ watch, target }, from) => {
        subscriptions.add(from, watch, target);
        if (target.of === 'directory') return keys.inDirectory(target.path);
        const stored = keys.get(target.path);
        return stored === null ? [] : [stored];
      },
      unwatch: ({ watch }, from) => {
        subscriptions.remove(from, watch);
        return null;
      },
    };
  }

  get snapshot(): Snapshot {
    return { keys: this.keys.snapshot, sessions: this.sessions.snapshot };
  }

  /** Applies a request and tells its client the outcome. */
  answer(envelope: Envelope, from: Connection): void {
    const { id } = envelope;
    try {
      const answer = this.#apply(envelope.operation, envelope.request, from);
      from.tell({ type: 'reply', id, revision: this.keys.revision, answer } satisfies Reply);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      from.tell({ type: 'refused', id, revision: this.keys.revision, refusal: error.refusal });
    }
  }

  #apply<Op extends Operation>(operation: Op, request: RequestOf<Op>, from: Connection): AnswerOf<Op> {
    const handler: Handlers[Op] = this.#handlers[operation];
    return handler(request, from);
  }

  #requireSession(id: string): void {
    if (!this.sessions.alive(id)) throw new RefusedRequest('no-session');
  }

  #place(entry: Stored, line: Line): Placed {
    const { ending, limit } = line;
    const older = this.keys
      .inDirectory(line.dir)
      .filter(({ key, created }) => created < entry.created && (ending === null || nameOf(key).endsWith(ending)));
    return { created: entry.created, ahead: older.slice(-limit) };
  }
}

function requireFits(value: Uint8Array): void {
  if (value.byteLength > maxValueBytes) throw new RefusedRequest('too-large');
}
