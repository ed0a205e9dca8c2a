import { type Line, linesOf } from '../records.js';
import type { Overlap } from './beliefs.js';

/** A run's store. */
export type Backend = 'etcd' | 'zookeeper';

const thawedLeader = {
  name: 'etcd before 3.4.31 and 3.5.13: a thawed old leader revokes live leases',
  mendedIn: ['3.4.31', '3.5.13', '3.6.0'],
};
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
  const older = new Set(grants.slice(0, -1).map(({ by }) => by));
  if (backend !== 'etcd' || to - from > longestTellingMs) return null;
  if (!linesOf(lines, 'server').some(({ version }) => isBefore(version, thawedLeader.mendedIn))) return null;
  const isRevoked = linesOf(lines, 'session').some(
    ({ by, state, at, reason }) =>
      older.has(by) &&
      state === 'lost' &&
      at >= from &&
      at <= to + sessionTimeoutMs &&
      reason?.includes(endedByStore) === true,
  );
  const isThawed = linesOf(lines, 'fault').some(
    ({ fault, phase, at }) =>
      fault === 'freeze the leader' && phase === 'end' && at >= from - 2 * sessionTimeoutMs && at <= to,
  );
  return isRevoked && isThawed ? thawedLeader.name : null;
}

/** Whether a version is older than the release of its line, `3.4` of `3.4.23`, that mended something, or of a line before all of those. */
function isBefore(version: string, releases: readonly string[]): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const lines = releases.map((release) => release.split('.').map(Number));
  const own = lines.find(([first, second]) => first === major && second === minor);
  if (own !== undefined) return patch < (own[2] ?? 0);
  return lines.every(([first = 0, second = 0]) => major < first || (major === first && minor < second));
}
