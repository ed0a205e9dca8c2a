import type { Line } from '../event-log.js';
import type { Key, Kind, Rule } from '../spi/backend.js';

/** A line to stand in: where, as what, and who ahead matters. */
export interface Queue extends Line {
  readonly dir: Key;
  readonly kind: Kind;
  /** Who ahead matters; with `permits`, its limit is one more than those. */
  readonly rule: Rule;
  readonly data: Uint8Array;
  /** How many may be in at once, where everybody in line counts alike: a semaphore. */
  readonly permits?: number;
}

export function lineOf({ primitive, name }: Line): Line {
  return { primitive, name };
}
