import { type Line, linesOf } from '../records.js';
import type { Overlap } from './beliefs.js';

/** A run's store. */
export type Backend = 'etcd' | 'zookeeper';

const thawedLeader = 'etcd before 3.4.31 and 3.5.13: a thawed old leader revokes live leases';
// The holder is told with the next answer of the store's.
const longestTellingMs = 500;
const endedByStore = 'the store ended the session';

/**
 * The bug of a server that explains an overlap, by its name in `docs/chaos.md`; `null` when nothing does.
 *
 * A lease that is revoked while it lives ends for its holder when that is told; nobody can know it before.
 */
export function explain(
  { from, to, grants }: Overlap,
  lines: readonly Line[],
  backend: Backend,
  sessionTimeoutMs: number,
): string | null {
  const [older] = grants;
  if (backend !== 'etcd' || older === undefined || to - from > longestTellingMs) return null;
  const isRevoked = linesOf(lines, 'session').some(
    ({ by, state, at, reason }) =>
      by === older.by &&
      state === 'lost' &&
      at >= from &&
      at <= to + sessionTimeoutMs &&
      reason?.includes(endedByStore) === true,
  );
  const isThawed = linesOf(lines, 'fault').some(
    ({ fault, phase, at }) =>
      fault === 'freeze the leader' && phase === 'end' && at >= from - 2 * sessionTimeoutMs && at <= to,
  );
  return isRevoked && isThawed ? thawedLeader : null;
}
