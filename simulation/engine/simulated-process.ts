import type { Clock, Timer } from '@concordat/core/spi';
import type { Task, TaskOwner } from './agenda.js';
import type { Random } from './random.js';
import type { Planned, Scheduler } from './scheduler.js';

// A quartz clock is far better, and the margin of a session's deadline covers five times as much.
const worstDrift = 0.01;
const catchUpMs = 1;

/** What a turn is for that a message begins, and one that a timer of what is simulated begins. */
export const message = 'message';
export const timer = 'timer';

/** One process of a service: its timers and messages wait while it is paused, and are gone when it is dead. */
export class SimulatedProcess implements TaskOwner {
  readonly name: string;
  /** Its own monotonic clock, a little fast or slow; what it plans is late rather than early. */
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #rate: number;
  readonly #backlog: Task[] = [];
  #state: 'running' | 'paused' | 'dead' = 'running';
  #attentiveFrom = 0;

  constructor(name: string, scheduler: Scheduler, random: Random) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#rate = random.between(1 - worstDrift, 1 + worstDrift);
    const startedAt = random.between(1_000, 1_000_000);
    this.clock = {
      offset: 0,
      now: () => startedAt + scheduler.now * this.#rate,
      setTimer: (callback, delayMs) => this.#setTimer(callback, delayMs),
    };
  }

  /** True while it runs and has caught up with what waited for it: only then does it believe anything. */
  get attentive(): boolean {
    return this.#state === 'running' && this.#scheduler.now >= this.#attentiveFrom;
  }

  get dead(): boolean {
    return this.#state === 'dead';
  }

  /** Plans a turn of this process, in `delayMs` of virtual time. */
  plan(delayMs: number, what: string, run: () => void): Planned {
    return this.#scheduler.plan(delayMs, this, what, run);
  }

  admits(task: Task): boolean {
    if (this.#state === 'paused') this.#backlog.push(task);
    return this.#state === 'running';
  }

  /** As SIGSTOP, a long collection or a frozen machine. */
  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  /** What fell due meanwhile runs now: timers in their order and messages in theirs, mixed as it may happen. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.#attentiveFrom = this.#scheduler.now + catchUpMs;
    const waiting = this.#backlog.splice(0).filter(({ wanted }) => wanted);
    const timers = waiting.filter(({ what }) => what !== message);
    const messages = waiting.filter(({ what }) => what === message);
    for (let index = 0; index < waiting.length; index++) {
      const queue = messages.length === 0 || (timers.length > 0 && this.#random.chance(0.5)) ? timers : messages;
      const task = queue.shift();
      if (task !== undefined) this.#scheduler.replan(task, (catchUpMs * index) / waiting.length);
    }
  }

  /** As SIGKILL. */
  kill(): void {
    this.#state = 'dead';
    this.#backlog.length = 0;
  }

  #setTimer(callback: () => void, delayMs: number): Timer {
    const late = this.#random.chance(0.02) ? this.#random.spread(0.5, 20) : this.#random.between(0, 0.5);
    return this.plan(Math.ceil(Math.max(0, delayMs)) / this.#rate + late, timer, callback);
  }
}
