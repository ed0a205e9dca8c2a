import type { Backend } from './backend.js';
import type { Clock } from './clock.js';
import type { Session } from './session.js';
import type { Tls } from './tls.js';

/** The version of this contract that a driver was written for. */
export const specVersion = 1;

/** What a store can and cannot do, as data: the suite verifies each claim, recipes read none. */
export interface Capabilities {
  /** Where the order of grants comes from, for the documentation and for telemetry. */
  readonly tokenSource: 'zxid' | 'revision' | 'counter';
  /** Who decides that a session is over: the store's own monotonic time, its wall clock, or an injected clock. */
  readonly clockSource: 'monotonic' | 'wall' | 'injected';
  /** Largest value of a register or an entry, in bytes; never below 1,000,000. */
  readonly maxValueBytes: number;
  /** Shortest session the store grants with its default settings, in milliseconds. */
  readonly sessionFloorMs: number;
}

/** One server: a numeric address or a name to be resolved, without brackets. */
export interface Host {
  /** Name or numeric address. */
  readonly host: string;
  /** 1 to 65,535. */
  readonly port: number;
}

/** What core hands a driver at {@link Driver.open}; validated already. */
export interface OpenOptions {
  /** At least one, except for a memory backend. */
  readonly hosts: readonly Host[];
  /** Prefix of every key, segments joined by `/`, without a leading or trailing slash; may be empty. */
  readonly namespace: string;
  /** What to ask the store for, in milliseconds. */
  readonly sessionTimeoutMs: number;
  /** The limit of one request: min(5 s, session timeout / 3) unless given. */
  readonly requestTimeoutMs: number;
  /** Who to be for the store; `null` for nobody in particular. Never in a message or a log. */
  readonly credentials: { readonly username: string; readonly password: string } | null;
  /** How to speak TLS; `null`: in the clear. */
  readonly tls: Tls | null;
  /** The only source of time for driver and session. */
  readonly clock: Clock;
  /** The session's state machine. The driver reports to it what the store said; core and recipes read it. */
  readonly session: Session;
  /** For a memory backend: which store of this process. Empty for others. */
  readonly storeName: string;
  /** The driver's own options (see {@link Driver.options}), as they were given. */
  readonly extra: Readonly<Record<string, string>>;
}

/**
 * One dialect: translates sessions, registers, watches and ordered entries, and holds no recipe.
 *
 * `open` is synchronous, sends nothing itself and connects in the background.
 */
export interface Driver {
  /** URL schemes it serves, without the colon. */
  readonly schemes: readonly string[];
  /** The contract it was written for. */
  readonly specVersion: typeof specVersion;
  /** Names of the options only this driver has. */
  readonly options: readonly string[];
  /** What it claims; the suite verifies each. */
  readonly capabilities: Capabilities;
  /** One session with the store. */
  open(options: OpenOptions): Backend;
}
