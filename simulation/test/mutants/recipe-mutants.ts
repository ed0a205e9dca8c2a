import type { Mutant } from './mutant.js';

const entering = 'core/src/recipes/group/entering.ts';
const value = 'core/src/values/stored-value.ts';

/** Bugs of groups and values. */
export const recipeMutants: readonly Mutant[] = [
  {
    name: 'a member that comes back and does not wait for who is about to leave',
    known: '769ea80',
    seed: 812,
    patches: [
      {
        file: 'core/src/recipes/group/membership.ts',
        find: 'data: () => this.#data, patient: true',
        replace: 'data: () => this.#data, patient: false',
      },
    ],
  },
  {
    name: 'an expiry that is taken for a removal by hand',
    known: 'catalogue c27 (elasticjob#1857)',
    seed: 44,
    patches: [
      {
        file: 'core/src/recipes/group/stay.ts',
        find: 'void this.#findOutWhy(reason);',
        replace: 'this.#removed(reason);',
      },
    ],
  },
  {
    name: 'an id that belongs to its latest entry',
    known: 'catalogue b4',
    seed: 3,
    patches: [{ file: entering, find: '    if (!gone) throw taken(candidate);\n', replace: '' }],
  },
  {
    name: 'an update that goes on when its outcome is unknown',
    known: 'catalogue c5',
    seed: 61,
    patches: [
      {
        file: value,
        find: "this.#put(caller, encoded, current?.version ?? 'absent', epoch).catch(unlessSessionOver)",
        replace:
          "this.#put(caller, encoded, current?.version ?? 'absent', epoch).catch(unlessSessionOver).catch((reason: unknown): PutResult => {\n          if (CoordinationError.is(reason, 'OUTCOME_UNKNOWN')) return { stored: false, current: null };\n          throw reason;\n        })",
      },
    ],
  },
  {
    name: 'an update that only reads and writes',
    known: 'DESIGN.md §3 (lost update)',
    seed: 14,
    patches: [
      {
        file: value,
        find: "this.#put(caller, encoded, current?.version ?? 'absent', epoch)",
        replace: "this.#put(caller, encoded, 'any', epoch)",
      },
    ],
  },
];
