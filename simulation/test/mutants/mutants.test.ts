import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { partOf } from '../part-of.js';
import { lineMutants } from './line-mutants.js';
import type { Mutant } from './mutant.js';
import { mutatedSources } from './mutated-sources.js';
import { plantedMutants } from './planted-mutants.js';
import { recipeMutants } from './recipe-mutants.js';
import { sessionMutants } from './session-mutants.js';
import { sharedStateMutants } from './shared-state-mutants.js';

const known = [...lineMutants, ...sessionMutants, ...recipeMutants, ...sharedStateMutants];
const mostSeeds = 1_000;
const folder = mkdtempSync(join(tmpdir(), 'concordat-mutants-'));

describe('the simulation catches', () => {
  afterAll(() => rmSync(folder, { recursive: true }));

  test('more than a dozen bugs that were real', () => {
    expect(known.length).toBeGreaterThan(12);
  });

  test.concurrent.each([...known, ...plantedMutants])(
    '$name',
    async (mutant) => {
      // First where it was caught before; the whole way only when the course of the seeds has changed.
      const caught = (await isCaught(mutant, mutant.seed, mutant.seed)) || (await isCaught(mutant, 1, mostSeeds));
      expect(caught, `none of ${mostSeeds} seeds fails`).toBe(true);
    },
    300_000,
  );
});

async function isCaught(mutant: Mutant, first: number, last: number): Promise<boolean> {
  const file = join(folder, `${encodeURIComponent(mutant.name)}.json`);
  writeFileSync(file, JSON.stringify(mutatedSources(mutant)));
  const patcher = new URL('patched-modules.mjs', import.meta.url);
  patcher.searchParams.set('patches', file);
  const seeds = await partOf(first, last + 1, { node: ['--import', patcher.href], twice: true, stop: true });
  return seeds.some(({ violation }) => violation !== null);
}
