import { throughout } from './eventually.js';
import type { Link, WireCounts } from './harness.js';

const quietMs = 250;

/** What went over these links together so far. */
export function tally(...links: readonly Link[]): WireCounts {
  const sum = { requests: 0, writes: 0, notifications: 0 };
  for (const { wire } of links) {
    sum.requests += wire.requests;
    sum.writes += wire.writes;
    sum.notifications += wire.notifications;
  }
  return sum;
}

export function difference(after: WireCounts, before: WireCounts): WireCounts {
  return {
    requests: after.requests - before.requests,
    writes: after.writes - before.writes,
    notifications: after.notifications - before.notifications,
  };
}

/** Waits until nothing has gone over these links for a while, and answers the tally. */
export async function quiet(...links: readonly Link[]): Promise<WireCounts> {
  for (let before = tally(...links); ; before = tally(...links)) {
    const moves: WireCounts[] = [];
    await throughout(quietMs, () => {
      const now = tally(...links);
      if (now.requests !== before.requests || now.notifications !== before.notifications) moves.push(now);
    });
    if (moves.length === 0) return before;
  }
}
