import type { CoordinationError } from './errors.js';

/**
 * Where a session stands.
 *
 * `connecting` → `connected` → `suspended` ⇄ `connected`; `connected` or `suspended` → `lost` → `connecting` with the next
 * epoch; any → `closed`, once. While `suspended` grants are still held, until their `safeUntil`.
 */
export type SessionPhase = 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';

/** One transition of a session. The deadline is not in here: it moves with every heartbeat. */
export interface SessionState {
  /** Where the session stands. */
  readonly state: SessionPhase;
  /** Sessions so far, this one included; starts at 1. */
  readonly epoch: number;
  /** The store's name for it, or `null` while there is none. */
  readonly id: string | null;
  /** Timeout that the store granted, in milliseconds; 0 while there is no session. */
  readonly timeoutMs: number;
  /** Why it was lost, or why it could not be opened so far. */
  readonly reason: CoordinationError | null;
}
