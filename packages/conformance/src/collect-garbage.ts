import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes in use after everything unreachable was collected. */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Throws unless no more is in use than before, of any kind. */
export function requireNoMoreThan(before: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(resourcesInUse()))
    if (count > (before[kind] ?? 0))
      throw new Error(`${String(count)} of ${kind} are in use, ${String(before[kind] ?? 0)} were`);
}

/** How many sockets, pipes and referenced timers keep this process alive, by kind. */
export function resourcesInUse(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
