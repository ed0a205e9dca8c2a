/** A value as the store keeps it; never changed in place, so the same object means the same state. */
export interface Stored {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of its last write. */
  readonly version: bigint;
  /** Revision of its creation. */
  readonly created: bigint;
  /** Session it lives and dies with, or `null`. */
  readonly owner: string | null;
}

/** Which older entries of a directory are asked for: the nearest `limit` whose names end so. */
export interface Line {
  readonly dir: string;
  /** `null`: whatever their names. */
  readonly ending: string | null;
  readonly limit: number;
}

/** Where an entry stands; the older ones oldest first, nearest last. */
export interface Placed {
  readonly created: bigint;
  readonly ahead: readonly Pick<Stored, 'key' | 'created'>[];
}

/** One key, or the direct children of a directory. */
export interface Target {
  readonly of: 'key' | 'directory';
  readonly path: string;
}

interface Exchange<Request, Answer> {
  readonly request: Request;
  readonly answer: Answer;
}

/** What a conditional write did; `current` is what is there now, or `null`. */
export interface Written {
  readonly done: boolean;
  readonly current: Stored | null;
}

/** Everything the store can be asked; each is applied as one step of its total order. */
export interface Operations {
  /** Grants a session and creates its own entry in the directory `marks`. */
  readonly open: Exchange<{ timeoutMs: number; marks: string }, { session: string; timeoutMs: number }>;
  readonly heartbeat: Exchange<{ session: string }, { alive: boolean }>;
  /** Ends a session, known or not, and removes what it owns. */
  readonly end: Exchange<{ session: string }, null>;
  readonly get: Exchange<{ key: string }, Stored | null>;
  readonly list: Exchange<{ dir: string }, readonly Stored[]>;
  /** `session`: the owner if this creates the key, `null` for nobody. Overwriting keeps the owner. */
  readonly put: Exchange<
    { key: string; value: Uint8Array; expect: 'absent' | 'any' | bigint; session: string | null },
    Written
  >;
  /** `version`, `created` and `owner` are conditions, `null` for none. */
  readonly delete: Exchange<
    { key: string; version: bigint | null; created: bigint | null; owner: string | null },
    Written
  >;
  /** Creates an entry unless the key `unless` exists; `null` when it does. */
  readonly enter: Exchange<
    { session: string; key: string; value: Uint8Array; unless: string; line: Line },
    Placed | null
  >;
  /**
   * Makes the outcome of a lost `enter` certain: the place of its entry, or `null` when there is none. Then `mark` is created, so that
   * the lost request is not applied when it arrives late.
   */
  readonly settle: Exchange<{ session: string; key: string; mark: string; line: Line }, Placed | null>;
  /** Where that very entry stands, or `null` when it is gone. */
  readonly ahead: Exchange<{ key: string; created: bigint; line: Line }, Placed | null>;
  /** Replaces the data of that very entry; `false` when it is gone. */
  readonly update: Exchange<{ key: string; created: bigint; value: Uint8Array }, boolean>;
  /** Answers the present state; every later change follows on the same connection as {@link Changed}. */
  readonly watch: Exchange<{ watch: number; target: Target }, readonly Stored[]>;
  readonly unwatch: Exchange<{ watch: number }, null>;
}

export type Operation = keyof Operations;
export type RequestOf<Op extends Operation> = Operations[Op]['request'];
export type AnswerOf<Op extends Operation> = Operations[Op]['answer'];

const sessionOperations: ReadonlySet<Operation> = new Set<Operation>(['open', 'heartbeat', 'end']);
const writeOperations: ReadonlySet<Operation> = new Set<Operation>(['put', 'delete', 'enter', 'settle', 'update']);

/** True for what only keeps a session alive, opens or ends it. */
export function isAboutSession(operation: Operation): boolean {
  return sessionOperations.has(operation);
}

/** True for what changes keys. */
export function isWrite(operation: Operation): boolean {
  return writeOperations.has(operation);
}

/** A request on its way to the store. */
export interface Envelope<Op extends Operation = Operation> {
  readonly id: number;
  readonly operation: Op;
  readonly request: RequestOf<Op>;
}

/** Why the store refuses a request. */
export type Refusal = 'no-session' | 'too-large';

/** The answer to the request `id`, and how far the store's order had come then. */
export interface Reply {
  readonly type: 'reply';
  readonly id: number;
  readonly revision: bigint;
  readonly answer: AnswerOf<Operation>;
}

/** The request `id` was refused and nothing of it was applied. */
export interface Refused {
  readonly type: 'refused';
  readonly id: number;
  readonly revision: bigint;
  readonly refusal: Refusal;
}

/** A watched key changed; `null`: it is gone. */
export interface Changed {
  readonly type: 'changed';
  readonly watch: number;
  readonly key: string;
  readonly stored: Stored | null;
}

/** A session is over by the store's word; sent on the connection it last spoke on, before its entries go. */
export interface Ended {
  readonly type: 'ended';
  readonly session: string;
}

/** Whatever the store sends to a client. */
export type Message = Reply | Refused | Changed | Ended;
