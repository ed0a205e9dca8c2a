import { json } from '@concordat/core';
import { MemoryStore } from '@concordat/driver-memory';
import { Grants } from '../checks/grants.js';
import { checkDeadline } from '../checks/session-deadline.js';
import { Turns } from '../checks/turns.js';
import type { Random } from '../engine/random.js';
import { Scheduler } from '../engine/scheduler.js';
import { SimulatedProcess } from '../engine/simulated-process.js';
import type { Trace } from '../engine/trace.js';
import type { Weather } from '../engine/wire.js';
import type { Client } from './client.js';
import { Findings } from './findings.js';
import { type Change, StoreTruth } from './store-truth.js';

/** What one seed decides about the world, before anything happens in it. */
export interface Climate {
  readonly sessionTimeoutMs: number;
  readonly weather: Weather;
  /** True when nothing ever goes wrong: then nothing may be told to have gone wrong. */
  readonly faultless: boolean;
  /** How often something takes long: as a probability. */
  readonly patience: number;
  /** What an operator raised tokens by. */
  readonly tokenBase: bigint;
  /** Whether coordinators are asked for their events, which takes other ways through their code. */
  readonly eventsWatched: boolean;
}

/** Namespace of everything in the simulated store. */
export const namespace = 'sim';

/** One store, virtual time, and what is known of both. */
export class World {
  readonly climate: Climate;
  readonly trace: Trace;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly findings: Findings;
  readonly store: MemoryStore;
  readonly truth: StoreTruth;
  readonly grants: Grants;
  readonly turns: Turns;
  /** When somebody was last troubled, in milliseconds of virtual time. */
  troubledMs = 0;
  /** When the store last stood still or was away, which gives every session more time; in milliseconds of virtual time. */
  storeTroubledMs = Number.NEGATIVE_INFINITY;
  /** How messages travel now. */
  weather: Weather;
  /** `faults` go on, `healed` they are over for good, `ending`: nobody begins anything any more. */
  phase: 'faults' | 'healed' | 'ending' = 'faults';

  constructor(climate: Climate, random: Random, trace: Trace) {
    this.climate = climate;
    this.weather = climate.weather;
    this.random = random;
    this.trace = trace;
    this.scheduler = new Scheduler(trace, (error) => this.findings.report('stray-error', describe(error)));
    const now = (): number => this.scheduler.now;
    this.findings = new Findings(now, ({ rule, detail }) => {
      trace.note(now(), 'check', `VIOLATION ${rule}: ${detail}`);
      this.scheduler.stop();
    });
    // Its clock is one more that drifts.
    const { clock } = new SimulatedProcess('store', this.scheduler, random.fork('store'));
    this.store = new MemoryStore({ clock });
    if (climate.tokenBase > 0n) this.store.write(`${namespace}/format`, formatOf(climate.tokenBase));
    this.truth = new StoreTruth(this.store, namespace, now);
    this.grants = new Grants(this.truth, this.findings, climate.tokenBase, now);
    this.turns = new Turns(this.truth, this.findings, now);
    this.truth.follow('session', 'sessions');
    this.truth.onChange((change) => this.#changed(change));
  }

  /** Every client there ever was. */
  readonly clients: Client[] = [];

  /** Says what somebody did or saw. */
  note(who: string, what: string): void {
    this.trace.note(this.scheduler.now, who, what);
  }

  #changed({ dir, name, fact, before }: Change): void {
    const what = fact === null ? '-' : before === null ? '+' : '=';
    this.note('store', `${what} ${dir}/${name}`);
    if (dir === 'session' && fact === null) {
      this.troubledMs = Math.max(this.troubledMs, this.scheduler.now);
      checkDeadline(this, name);
    }
    if (fact === null || before !== null || fact.owner === null) return;
    const older = this.#sessionsBefore(fact.owner).filter((session) => this.store.sessions.includes(session));
    if (older.length > 0)
      this.findings.report(
        'two-sessions',
        `${dir}/${name} is made while ${older.join(', ')} of the same client stands`,
      );
  }

  // Of the same client: the store has to have ended them before it makes anything for the next one.
  #sessionsBefore(session: string): readonly string[] {
    const sessions = this.clients.map((client) => [...client.sessions]).find((all) => all.includes(session)) ?? [];
    return sessions.slice(0, sessions.indexOf(session));
  }
}

function formatOf(tokenBase: bigint): Uint8Array {
  return json.encode({ layout: 1, tokenBase: String(tokenBase) });
}

/** An error in one line, without its stack. */
export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
