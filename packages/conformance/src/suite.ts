import { afterAll, beforeAll, describe, test } from 'vitest';
import { areas } from './areas/index.js';
import { Fixture } from './fixture.js';
import type { Harness, World } from './harness.js';
import { listenForNoise } from './noise.js';
import type { Scenario } from './scenario.js';

const scenarioLimitMs = 90_000;

/**
 * Registers the whole suite for one backend; there is nothing to leave out.
 *
 * One store is started for the file. Each scenario has a namespace of its own, and a link for each of its clients.
 *
 * @example
 * ```ts
 * import { describeConformance } from '@concordat/conformance';
 * import { harness } from './harness.js';
 *
 * describeConformance(harness);
 * ```
 */
export function describeConformance(harness: Harness): void {
  describe(`conformance of ${harness.name}`, () => {
    let world: World | undefined;
    beforeAll(async () => {
      listenForNoise();
      world = await harness.start();
    });
    afterAll(() => world?.stop());
    for (const { name, scenarios } of areas) {
      describe(name, () => {
        let executed = 0;
        for (const scenario of scenarios) {
          const register = scenario.alone ? test : test.concurrent;
          register(`${scenario.id} ${scenario.title}`, { timeout: scenarioLimitMs }, async () => {
            executed++;
            if (world === undefined) throw new Error('the store was not started');
            await perform(scenario, harness, world);
          });
        }
        afterAll(() => {
          const counts = `${String(executed)} executed, ${String(scenarios.length - executed)} skipped`;
          process.stdout.write(`conformance of ${harness.name}: ${name}: ${counts}\n`);
        });
      });
    }
  });
}

/** Runs one scenario on a running store, and cleans up behind it. */
export async function perform(scenario: Scenario, harness: Harness, world: World): Promise<void> {
  const fixture = new Fixture(harness, world);
  try {
    await scenario.run(fixture);
  } catch (failure) {
    // What broke the scenario says more than what its clean-up then found.
    await fixture.end().catch(() => undefined);
    throw failure;
  }
  await fixture.end();
}
