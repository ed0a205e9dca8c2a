import type { CoordinationError } from '../../errors.js';
import type { WaitOptions } from '../../limits.js';
import type { Grant } from '../../lines/grant.js';

/**
 * Where a campaign stands.
 *
 * - `waiting`: in the line, or on the way into it, also while the store cannot be reached.
 * - `leading`: elected; until `grant` is over nobody else is.
 * - `lost`: not the leader any more. `reason` is `GRANT_LOST` (its session is over, or its entry was deleted by hand), `NOT_HELD` (it
 *   resigned, or released the grant) or `CLOSED`. Told in the turn of the loss, after `grant.signal` was aborted.
 */
export type Campaign =
  | { readonly state: 'waiting' }
  | { readonly state: 'leading'; readonly grant: Grant }
  | { readonly state: 'lost'; readonly reason: CoordinationError };

/** How to stand for election. The limits bound each wait for a turn, never the leading. */
export interface CampaignOptions<T> extends WaitOptions {
  /**
   * What `leader$` shows of this candidate: 1 to 1,000,000 bytes as encoded, better under 100. Default with the `text` codec: host name and process
   * id; any other codec needs one.
   */
  readonly value?: T;
  /** Whether to stand again, at the end of the line, when a term is over. Default true. */
  readonly requeue?: boolean;
}
