/** What every line of a journal says: when, on {@link nowMs}, and which process. */
interface Base {
  readonly at: number;
  readonly by: string;
}

/** What is contended for: a token guards it. */
export type Primitive = 'lock' | 'election' | 'semaphore';

/** An operation was called; `op` tells it from every other one. */
export interface CallLine extends Base {
  readonly kind: 'call';
  readonly op: string;
  readonly action: 'acquire' | 'release' | 'get' | 'set' | 'join' | 'leave' | 'close';
  readonly name: string;
  /** How long it may take, by what it was told. */
  readonly limitMs: number;
  /** Of a set: what is written, unlike anything else that is, and the version that it expects, if any. */
  readonly value?: string;
  readonly expect?: string;
}

/** It ended: `refused` has changed nothing, `unknown` may have. */
export interface ReturnLine extends Base {
  readonly kind: 'return';
  readonly op: string;
  readonly outcome: 'ok' | 'refused' | 'unknown';
  readonly code?: string;
  /** Of a get and of a set that was done; `null` when nothing is there. */
  readonly version?: string | null;
  readonly value?: string | null;
}

/** Somebody was granted something. */
export interface GrantedLine extends Base {
  readonly kind: 'granted';
  readonly grant: string;
  readonly primitive: Primitive;
  readonly name: string;
  readonly permits: number;
  readonly token: string;
  /** When it was asked for. */
  readonly calledAt: number;
}

/** Its holder was assured that it holds it. */
export interface AssertedLine extends Base {
  readonly kind: 'asserted';
  readonly grant: string;
}

/** Its holder gave it back, or was told that it is lost. */
export interface OverLine extends Base {
  readonly kind: 'over';
  readonly grant: string;
  readonly why: 'released' | 'lost' | 'closed';
}

/** The resource that tokens guard was written to, or refused it. */
export interface WrittenLine extends Base {
  readonly kind: 'written';
  readonly resource: string;
  readonly grant: string;
  readonly token: string;
  readonly isAccepted: boolean;
}

/** An observer was shown something: a config value by its version, a leader by its token. */
export interface SeenLine extends Base {
  readonly kind: 'seen';
  readonly what: 'config' | 'leader';
  readonly name: string;
  readonly version: string | null;
  readonly value: string | null;
}

/** A line as the store has it, longer than its permits: the token of everybody in it, in its order. */
export interface QueueLine extends Base {
  readonly kind: 'queue';
  readonly primitive: Primitive;
  readonly name: string;
  readonly permits: number;
  readonly tokens: readonly string[];
}

/** When nobody changes anything any more: what an observer was shown last, and what the store answers. */
export interface FinalLine extends Base {
  readonly kind: 'final';
  readonly what: 'config' | 'leader' | 'line' | 'members';
  readonly name: string;
  readonly shown: string | null;
  readonly stored: string | null;
}

/** Something is being broken from here on, or no longer. */
export interface FaultLine extends Base {
  readonly kind: 'fault';
  readonly fault: string;
  readonly on: readonly string[];
  readonly phase: 'begin' | 'end';
}

/** What the store is made of. */
export interface ServerLine extends Base {
  readonly kind: 'server';
  /** As its leader says it, such as `3.4.23`. */
  readonly version: string;
}

/** Which member leads the store, as an observer beside it finds. */
export interface StoreLine extends Base {
  readonly kind: 'store';
  readonly leader: string | null;
}

/** A client's process. */
export interface ProcessLine extends Base {
  readonly kind: 'process';
  /** `killed` by the run, `crashed` by itself. */
  readonly state: 'started' | 'stopped' | 'continued' | 'killed' | 'crashed' | 'ended';
}

/** A client's session. */
export interface SessionLine extends Base {
  readonly kind: 'session';
  readonly state: string;
  readonly epoch: number;
  readonly reason: string | null;
}

/** What the run is about from here on. */
export interface PhaseLine extends Base {
  readonly kind: 'phase';
  readonly phase: 'faults' | 'healed' | 'settled' | 'done';
}

/** One line of a journal. */
export type Line =
  | CallLine
  | ReturnLine
  | GrantedLine
  | AssertedLine
  | OverLine
  | WrittenLine
  | SeenLine
  | QueueLine
  | FinalLine
  | FaultLine
  | ServerLine
  | StoreLine
  | ProcessLine
  | SessionLine
  | PhaseLine;

/** Something that must not be. */
export interface Violation {
  /** Which rule it breaks. */
  readonly rule: string;
  readonly at: number;
  readonly what: string;
}

/** The lines of one kind, in the order of their time. */
export function linesOf<Kind extends Line['kind']>(
  lines: readonly Line[],
  kind: Kind,
): readonly Extract<Line, { readonly kind: Kind }>[] {
  return lines.filter((line): line is Extract<Line, { readonly kind: Kind }> => line.kind === kind);
}
