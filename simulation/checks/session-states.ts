import type { SessionPhase, SessionState } from '@concordat/core';

const next: Readonly<Record<SessionPhase, readonly SessionPhase[]>> = {
  connecting: ['connected', 'closed'],
  connected: ['suspended', 'lost', 'closed'],
  suspended: ['connected', 'lost', 'closed'],
  lost: ['connecting', 'closed'],
  closed: [],
};

/** What is wrong about `now` after `before`, or `null`. */
export function illegalMove(before: SessionState, now: SessionState): string | null {
  const move = `${before.state} ${before.epoch} → ${now.state} ${now.epoch}`;
  if (!next[before.state].includes(now.state)) return move;
  const epoch = before.state === 'lost' && now.state === 'connecting' ? before.epoch + 1 : before.epoch;
  return now.epoch === epoch ? null : move;
}
