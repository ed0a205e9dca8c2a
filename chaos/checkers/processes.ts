import { type Line, linesOf } from '../records.js';

/** When a process stood still, and when it ended. */
export interface ProcessFacts {
  readonly startedAt: number;
  readonly stops: readonly (readonly [from: number, to: number])[];
  readonly endedAt: number | null;
  readonly isKilled: boolean;
}

/** Every client's process, by name. */
export function processesOf(lines: readonly Line[]): ReadonlyMap<string, ProcessFacts> {
  const facts = new Map<string, ProcessFacts>();
  const stoppedAt = new Map<string, number>();
  for (const { by, state, at } of linesOf(lines, 'process')) {
    const known = facts.get(by) ?? { startedAt: at, stops: [], endedAt: null, isKilled: false };
    if (state === 'stopped') stoppedAt.set(by, at);
    else {
      const from = stoppedAt.get(by);
      stoppedAt.delete(by);
      const stops = from === undefined ? known.stops : [...known.stops, [from, at] as const];
      const isOver = state === 'killed' || state === 'crashed' || state === 'ended';
      facts.set(by, {
        ...known,
        stops,
        endedAt: isOver ? at : known.endedAt,
        isKilled: known.isKilled || state === 'killed',
      });
    }
  }
  return facts;
}

/** For how long a process stood still between two moments. */
export function stoodStill({ stops }: ProcessFacts, from: number, to: number): number {
  return stops.reduce((sum, [begin, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(begin, from)), 0);
}
