import type { SessionPhase, SessionState } from '@concordat/core';

const legal: Readonly<Record<SessionPhase, readonly SessionPhase[]>> = {
  connecting: ['connected', 'closed'],
  connected: ['suspended', 'lost', 'closed'],
  suspended: ['connected', 'lost', 'closed'],
  lost: ['connecting', 'closed'],
  closed: [],
};

/** Throws unless these states may follow each other (SESS-02); asked of every session that the suite opens. */
export function requireLegal(states: readonly SessionState[]): void {
  for (const [index, after] of states.entries()) {
    const before = states[index - 1];
    if (before === undefined) continue;
    const epoch = before.epoch + (before.state === 'lost' && after.state === 'connecting' ? 1 : 0);
    if (legal[before.state].includes(after.state) && after.epoch === epoch) continue;
    const path = states.map(({ state, epoch: number }) => `${state} ${String(number)}`).join(', ');
    throw new Error(`a session moved in a way it must not: ${path}`);
  }
}
