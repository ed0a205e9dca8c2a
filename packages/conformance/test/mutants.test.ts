import { createCoordinator, type Lock } from '@concordat/core';
import type { Backend, Driver, OpenOptions } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { harness as healthy } from '../../driver-memory/test/harness.js';
import { areas } from '../src/areas/index.js';
import { setPatience } from '../src/eventually.js';
import { Fixture } from '../src/fixture.js';
import type { Harness } from '../src/harness.js';
import type { Scenario } from '../src/scenario.js';
import { barrierMutants } from './mutants/barrier-mutants.js';
import { bundleMutants } from './mutants/bundle-mutants.js';
import { configMutants } from './mutants/config-mutants.js';
import { doubleBarrierMutants } from './mutants/double-barrier-mutants.js';
import { electionMutants } from './mutants/election-mutants.js';
import { entryMutants } from './mutants/entry-mutants.js';
import { eventMutants } from './mutants/event-mutants.js';
import { groupMutants } from './mutants/group-mutants.js';
import { idempotencyMutants } from './mutants/idempotency-mutants.js';
import { type Mutant, replaced } from './mutants/mutant.js';
import { readWriteLockMutants } from './mutants/read-write-lock-mutants.js';
import { recipeMutants } from './mutants/recipe-mutants.js';
import { registerMutants } from './mutants/register-mutants.js';
import { rendezvousMutants } from './mutants/rendezvous-mutants.js';
import { semaphoreMutants } from './mutants/semaphore-mutants.js';
import { sessionMutants } from './mutants/session-mutants.js';
import { watchMutants } from './mutants/watch-mutants.js';

const mutants: readonly Mutant[] = [
  ...sessionMutants,
  ...registerMutants,
  ...watchMutants,
  ...entryMutants,
  ...recipeMutants,
  ...readWriteLockMutants,
  ...semaphoreMutants,
  ...electionMutants,
  ...groupMutants,
  ...configMutants,
  ...bundleMutants,
  ...barrierMutants,
  ...doubleBarrierMutants,
  ...rendezvousMutants,
  ...idempotencyMutants,
  ...eventMutants,
];
const ids = [...new Set(mutants.flatMap(({ fails }) => fails))].sort();
const scenarios = new Map(areas.flatMap((area) => area.scenarios).map((scenario) => [scenario.id, scenario]));
const patienceMs = 4_000;
const limitMs = 12_000;
// Broken code leaves promises behind that nobody waits for.
const strays = ['unhandledRejection', 'uncaughtException'] as const;

describe('the suite notices', () => {
  const listeners = new Map(strays.map((event) => [event, process.rawListeners(event)]));
  const ignore = (): void => undefined;

  beforeAll(() => {
    setPatience(patienceMs);
    for (const event of strays) {
      process.removeAllListeners(event);
      process.on(event, ignore);
    }
  });

  afterAll(() => {
    for (const event of strays) {
      process.off(event, ignore);
      for (const listener of listeners.get(event) ?? []) process.on(event, listener as () => void);
    }
  });

  // What a broken scenario goes on to expect after its verdict is recorded with whichever test began last, and would fail that one: each
  // forgets what was recorded with it.
  // One by one, so that as many run beside each other as on a healthy store: all at once they would starve each other's sessions.
  test.concurrent.for(ids)('nothing, where nothing is broken: %s', { timeout: 60_000 }, async (id, { task }) => {
    const harness = { ...healthy, sessionTimeoutMs: 2_000, driver: throughProxies(healthy.driver) };
    const whole = { name: 'whole', fails: ids, driver: throughProxies, create: createThroughProxies };
    const verdict = await passes(id, harness, whole);
    void task.promises?.splice(0);
    expect(verdict).toBe(true);
  });

  test.concurrent.for(mutants)('$name', { timeout: 60_000 }, async (mutant, { task }) => {
    const harness = { ...healthy, sessionTimeoutMs: 2_000, driver: mutant.driver(healthy.driver) };
    const verdicts = await Promise.all(mutant.fails.map((id) => passes(id, harness, mutant)));
    void task.promises?.splice(0);
    expect(mutant.fails.filter((_, index) => verdicts[index])).toEqual([]);
  });
});

// Every mutant changes something on the way through these, so they alone must change nothing.
function throughProxies(driver: Driver): Driver {
  const open = (options: OpenOptions): Backend =>
    replaced(driver.open({ ...options, session: replaced(options.session, {}) }), {});
  return { ...driver, open };
}

function createThroughProxies(create: typeof createCoordinator): typeof createCoordinator {
  return (driver, options) => {
    const coordinator = create(driver, options);
    const lock = (name: string): Lock => {
      const original = coordinator.lock(name);
      return replaced(original, { acquire: async (...given) => replaced(await original.acquire(...given), {}) });
    };
    return replaced(coordinator, { lock });
  };
}

/** Whether that scenario holds with what is broken, on a store of its own. */
async function passes(id: string, harness: Harness, { create }: Mutant): Promise<boolean> {
  const scenario = scenarios.get(id);
  if (scenario === undefined) throw new Error(`there is no scenario ${id}`);
  const world = await harness.start();
  try {
    return await holds(scenario, new Fixture(harness, world, create(createCoordinator)));
  } finally {
    await world.stop();
  }
}

async function holds(scenario: Scenario, fixture: Fixture): Promise<boolean> {
  const ran = scenario.run(fixture).then(() => fixture.end());
  const limit = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('it hangs')), limitMs).unref();
  });
  try {
    await Promise.race([ran, limit]);
    return true;
  } catch {
    fixture.end().catch(() => undefined);
    return false;
  }
}
