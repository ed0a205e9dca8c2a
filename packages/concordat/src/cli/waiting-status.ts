import type { Contender, Lock, WaitingLine } from '@concordat/core';
import { filter, map, take } from 'rxjs';
import type { Notices } from './notices.js';

const quietMs = 300;
const longestHolder = 80;

/**
 * Tells where we stand in the line, from the moment that waiting takes long enough to be noticed: a free lock costs nothing more.
 * At a terminal it follows the line, elsewhere it looks once: each who follows is told of everybody who comes and goes.
 * Returns what ends it.
 */
export function showWaiting(lock: Lock, name: string, notices: Notices): () => void {
  let stopWatching: () => void = () => undefined;
  const timer = setTimeout(() => {
    const status$ = lock.contenders$.pipe(
      // The one thing that is said elsewhere is not that the store is slow just now.
      filter(({ stale }) => notices.isLive || !stale),
      map(describe),
      filter((status) => status !== null),
    );
    const watch = (notices.isLive ? status$ : status$.pipe(take(1))).subscribe({
      next: (status) => notices.status(`waiting for lock "${name}": ${status}`),
      // The waiting itself says what is wrong; here only its description would be missing.
      error: () => undefined,
    });
    stopWatching = () => watch.unsubscribe();
  }, quietMs);
  return () => {
    clearTimeout(timer);
    stopWatching();
    notices.clear();
  };
}

function describe({ contenders, stale }: WaitingLine): string | null {
  if (stale) return 'the store does not answer';
  const place = contenders.findIndex(({ own }) => own);
  const [holder] = contenders;
  if (place < 1 || holder === undefined) return null;
  return `place ${place + 1} of ${contenders.length}, held by ${printable(holder)}`;
}

// Somebody else wrote it: it must not move the cursor, nor fill the screen.
function printable({ data, session }: Contender): string {
  const shown = new TextDecoder().decode(data.subarray(0, longestHolder)).replace(/[\p{C}\uFFFD]/gu, '?');
  return shown === '' ? `session ${session}` : shown;
}
