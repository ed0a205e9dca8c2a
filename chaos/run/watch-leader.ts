import { setTimeout as delay } from 'node:timers/promises';
import type { StoreCluster } from '@concordat/conformance/servers';
import type { Journal } from '../journal.js';

const everyMs = 100;

/** Writes down which member leads the store whenever that changes, until it is stopped. */
export function watchLeader(cluster: StoreCluster, journal: Journal): () => Promise<void> {
  let isOver = false;
  let known: string | null | undefined;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const leader = (await cluster.leader({ withinMs: 0 }).catch(() => null))?.name ?? null;
      if (leader !== known) journal.write({ kind: 'store', leader });
      known = leader;
      await delay(everyMs);
    }
  };
  const looking = look();
  return () => {
    isOver = true;
    return looking;
  };
}
