import { afterAll, beforeAll, describe, test } from 'vitest';
import { areas } from './areas/index.js';
import { Fixture } from './fixture.js';
import type { Harness, World } from './harness.js';
import { listenForNoise } from './noise.js';
import type { Scenario } from './scenario.js';

const scenarioLimitMs = 90_000;
// A server may need three attempts of half a minute, and its image to be fetched first.
const startLimitMs = 180_000;
const stopLimitMs = 60_000;

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
    let starting: Promise<World> | undefined;
    beforeAll(async () => {
      listenForNoise();
      starting = harness.start();
      world = await starting;
    }, startLimitMs);
    const executed = new Map(areas.map(({ name }) => [name, 0]));
    afterAll(async () => {
      for (const { name, scenarios } of areas) {
        const count = executed.get(name) ?? 0;
        const counts = `${String(count)} executed, ${String(scenarios.length - count)} skipped`;
        process.stdout.write(`conformance of ${harness.name}: ${name}: ${counts}\n`);
      }
      // Also one that came too late for anybody to use it.
      const started = await starting?.catch(() => undefined);
      await started?.stop();
    }, stopLimitMs);
    const register = (name: string, scenario: Scenario): void => {
      const add = scenario.alone ? test : test.concurrent;
      add(`${scenario.id} ${scenario.title}`, { timeout: scenarioLimitMs }, async () => {
        executed.set(name, (executed.get(name) ?? 0) + 1);
        if (world === undefined) throw new Error('the store was not started');
        await perform(scenario, harness, world);
      });
    };
    // Areas side by side, since most scenarios wait for a session to end; then, one by one, those that break what others use.
    for (const { name, scenarios } of areas) {
      const together = scenarios.filter(({ alone }) => !alone);
      if (together.length > 0)
        describe.concurrent(name, () => {
          for (const scenario of together) register(name, scenario);
        });
    }
    for (const { name, scenarios } of areas) {
      const alone = scenarios.filter((scenario) => scenario.alone);
      if (alone.length > 0)
        describe(`${name}, alone`, () => {
          for (const scenario of alone) register(name, scenario);
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
