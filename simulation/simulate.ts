import { Random } from './engine/random.js';
import { enclose } from './engine/surroundings.js';
import { Trace } from './engine/trace.js';
import { Nemesis } from './faults/nemesis.js';
import { workloads as allWorkloads } from './workloads/index.js';
import { Director } from './world/director.js';
import type { Violation } from './world/findings.js';
import { planSeed, type SeedPlan } from './world/seed-plan.js';
import { Service } from './world/service.js';
import { describe, World } from './world/world.js';

/** What to run, and how much of it to keep. */
export interface SimulateOptions {
  readonly seed: number;
  /** Whether to keep the lines of the trace. */
  readonly trace?: boolean;
  /** Faults to leave out, by their number in the plan: for whoever looks for those that matter. */
  readonly without?: ReadonlySet<number>;
}

/** What came of one seed. */
export interface SimulatedSeed {
  readonly seed: number;
  readonly plan: SeedPlan;
  /** The same for two runs exactly when the same happened in both. */
  readonly hash: string;
  readonly events: number;
  /** Milliseconds of virtual time. */
  readonly virtualMs: number;
  readonly violations: readonly Violation[];
  /** How often what happened. */
  readonly tally: ReadonlyMap<string, number>;
  readonly lines: readonly string[];
}

/**
 * Runs one seed from its beginning to its end, or to the first violation: real coordinators over the memory backend, in virtual time. One at a
 * time in a process, since it takes the machine's clock and chance away while it runs.
 */
export async function simulate({ seed, trace: keepLines = false, without }: SimulateOptions): Promise<SimulatedSeed> {
  const random = new Random(`concordat/${seed}`);
  const plan = planSeed(random.fork('plan'), Object.keys(allWorkloads));
  const trace = new Trace(keepLines);
  const world = new World(plan.climate, random.fork('world'), trace);
  const { scheduler, findings, truth, store } = world;
  const giveBack = enclose({
    now: () => scheduler.now,
    random: random.fork('recipes'),
    stray: (what, error) => findings.report('stray-error', `${what}: ${describe(error)}`),
  });
  try {
    const workloads = plan.workloads.flatMap((name) => allWorkloads[name]?.(world, random.fork(name)) ?? []);
    const service = new Service(world, workloads, plan.workersPerClient);
    const nemesis = new Nemesis(world, service);
    truth.connect();
    for (let place = 0; place < plan.clients; place++) {
      service.clients.push(null);
      scheduler.plan(random.between(0, 200), null, 'starts a client', () => service.start(place));
    }
    nemesis.begin(plan.faults.filter((_, number) => without?.has(number) !== true));
    scheduler.plan(
      0,
      null,
      'begins',
      () => void new Director(world, service, nemesis, workloads).direct(plan.faultsForMs),
    );
    await scheduler.run();
  } finally {
    giveBack();
    truth.close();
    store.close();
  }
  const { hash, events, lines } = trace;
  return {
    seed,
    plan,
    hash,
    events,
    virtualMs: scheduler.now,
    violations: findings.violations,
    tally: findings.tally,
    lines,
  };
}
