import type { Mutant } from './mutant.js';

const intent = 'core/src/recipes/idempotency/intent.ts';
const participation = 'core/src/recipes/double-barrier/participation.ts';

/** Bugs of what several share in one register: gates, barriers, meeting points. */
export const sharedStateMutants: readonly Mutant[] = [
  {
    name: 'a key that a failed rerun frees',
    known: '7d08f72',
    seed: 110,
    patches: [{ file: intent, find: '    if (this.#overInterruption) return;\n', replace: '' }],
  },
  {
    name: 'a result that replaces whatever is there',
    known: 'ADR 10, catalogue c14',
    seed: 192,
    patches: [
      {
        file: intent,
        find: 'this.#settle(result, (found) => this.#isThis(found))',
        replace: 'this.#settle(result, () => true)',
      },
    ],
  },
  {
    name: 'a withdrawal that ends with the local loss',
    known: 'f44480b',
    seed: 232,
    patches: [
      {
        file: 'core/src/recipes/rendezvous/publishing.ts',
        find: 'clock.setTimer(() => limit.abort(), timeoutMs, true)',
        replace: 'clock.setTimer(() => limit.abort(), 0, true)',
      },
    ],
  },
  {
    name: 'a participant that was cleared away while it was inside, and is forgotten',
    known: 'd1551eb',
    seed: 116,
    patches: [
      {
        file: participation,
        find: 'this.#join(withoutDead(round, others), [])',
        replace: 'this.#join({ ...withoutDead(round, others), lost: round.lost }, [])',
      },
    ],
  },
  {
    name: 'a leave that takes its own write for a loss',
    known: 'd1551eb',
    seed: 71,
    patches: [
      {
        file: participation,
        find: '(tried && !state.lost.includes(this.#steps.id) && !this.#isForgotten(state))',
        replace: 'false',
      },
    ],
  },
  {
    name: 'a participant that timed out and is counted',
    known: 'catalogue c54 (curator#838)',
    seed: 5,
    patches: [
      { file: participation, find: '      if (this.#tried) this.#withdrawn = this.#withdraw();\n', replace: '' },
    ],
  },
];
