import type { Line, Violation } from '../records.js';
import { allGaps, type Gap } from './leaderless.js';

const longestInTimeouts = 10;
// The run itself waits that long for the store to serve again.
const leastMs = 120_000;

/**
 * An office does not stand empty: whoever gave it back is followed within the time that is promised over one election of the store, not counting the
 * time that this takes; and whatever went wrong besides, nobody waits for longer than ten session timeouts, or two minutes.
 */
export function checkHandOvers(lines: readonly Line[], sessionTimeoutMs: number): readonly Violation[] {
  const promisedMs = 2 * sessionTimeoutMs + 3_000;
  const longestMs = Math.max(leastMs, longestInTimeouts * sessionTimeoutMs);
  const limitOf = ({ after, store }: Gap): number => (after === 'loss' || store === 'more' ? longestMs : promisedMs);
  return allGaps(lines, sessionTimeoutMs)
    .filter((gap) => gap.to - gap.from - gap.electedMs > limitOf(gap))
    .map((gap): Violation => {
      const { from, to, after, store } = gap;
      const what = `nobody led for ${String(Math.round(to - from))} ms after a ${after}, the store's leader: ${store}; limit ${String(limitOf(gap))} ms`;
      return { rule: 'an office does not stand empty', at: from, what };
    });
}
