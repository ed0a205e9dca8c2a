import { describe, expect, it } from 'vitest';
import { lineMutants } from './mutants/line-mutants.js';
import { mutatedSources } from './mutants/mutated-sources.js';
import { plantedMutants } from './mutants/planted-mutants.js';
import { recipeMutants } from './mutants/recipe-mutants.js';
import { sessionMutants } from './mutants/session-mutants.js';
import { sharedStateMutants } from './mutants/shared-state-mutants.js';

const all = [...lineMutants, ...sessionMutants, ...recipeMutants, ...sharedStateMutants, ...plantedMutants];

// They run by a command of their own: whoever changes what one patches should hear of it before.
describe('a mutant', () => {
  it('fits the sources as they are', () => {
    for (const mutant of all) expect(Object.keys(mutatedSources(mutant)).length).toBeGreaterThan(0);
  });
});
