import { timer } from '../engine/simulated-process.js';
import type { Nemesis } from '../faults/nemesis.js';
import type { Workload } from '../workloads/workload.js';
import type { Service } from './service.js';
import { namespace, type World } from './world.js';

const lookEveryMs = 250;
/** What a namespace keeps when nobody is there any more: registers, no entries. */
const kept = /^(format$|(config|barrier|double|meet)\/|once\/[^/]+\/[0-9a-f]{2}\/)/;

/** The course of a run: faults, then healing and progress, then rest, then an orderly end, with what has to hold at each point. */
export class Director {
  readonly #world: World;
  readonly #service: Service;
  readonly #nemesis: Nemesis;
  readonly #workloads: readonly Workload[];

  constructor(world: World, service: Service, nemesis: Nemesis, workloads: readonly Workload[]) {
    this.#world = world;
    this.#service = service;
    this.#nemesis = nemesis;
    this.#workloads = workloads;
  }

  /** Goes through it, and stops the scheduler. */
  async direct(faultsForMs: number): Promise<void> {
    const { scheduler, climate } = this.#world;
    const { sessionTimeoutMs } = climate;
    await scheduler.pass(faultsForMs);
    this.#world.phase = 'healed';
    this.#nemesis.heal();
    this.#service.forget();
    await this.#within('no-progress', progressWithinMs(sessionTimeoutMs), () => this.#service.idle);
    this.#world.phase = 'ending';
    await this.#within('step-not-ending', progressWithinMs(sessionTimeoutMs), () => this.#service.busy);
    // A dead client's entries go with its session; a watch shows what was last.
    await scheduler.pass(1.2 * sessionTimeoutMs);
    for (const { settled } of this.#workloads) settled?.();
    await this.#close();
    this.#checkLeftovers();
    scheduler.stop();
  }

  async #close(): Promise<void> {
    const { scheduler, climate } = this.#world;
    const closing = this.#service.living.map(
      (client) =>
        new Promise<void>((resolve) => client.process.plan(0, 'closes', () => void client.close().then(resolve))),
    );
    await Promise.all(closing);
    this.#checkTimers((owner) => owner !== 'store');
    await scheduler.pass(1.2 * climate.sessionTimeoutMs);
  }

  #checkLeftovers(): void {
    const { store, findings } = this.#world;
    const keys = store.keys.filter((key) => !kept.test(key.slice(namespace.length + 1)));
    if (keys.length > 0) findings.report('left-behind', keys.join(', '));
    if (store.sessions.length > 0) findings.report('left-behind', `sessions ${store.sessions.join(', ')}`);
    this.#checkTimers(() => true);
  }

  /** Who is closed keeps no timer. */
  #checkTimers(isAsked: (owner: string) => boolean): void {
    const timers = this.#world.scheduler.pending.filter(({ what, owner }) => what === timer && owner?.dead === false);
    const owners = timers.map(({ owner }) => owner?.name ?? '').filter(isAsked);
    if (owners.length > 0) this.#world.findings.report('left-behind', `timers of ${[...new Set(owners)].join(', ')}`);
  }

  async #within(rule: string, limitMs: number, missing: () => readonly string[]): Promise<void> {
    const { scheduler, findings } = this.#world;
    const until = scheduler.now + limitMs;
    while (missing().length > 0) {
      if (scheduler.now >= until)
        return findings.report(rule, `after ${limitMs.toFixed(0)} ms: ${missing().join(', ')}`);
      await scheduler.pass(lookEveryMs);
    }
  }
}

/** After all faults everybody gets on within this time: what was begun before, an expiry, and a line of everybody. */
export function progressWithinMs(sessionTimeoutMs: number): number {
  return 4 * sessionTimeoutMs + 5_000;
}
