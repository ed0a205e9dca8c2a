import { Agenda, type Task, type TaskOwner } from './agenda.js';
import type { Trace } from './trace.js';

/** Something planned, that can be taken back. */
export interface Planned {
  /** It will not run. Idempotent. */
  cancel(): void;
}

/**
 * Virtual time, and the one loop that moves it: each task runs in a macrotask of its own, and before the next one every
 * microtask has run. What promises do in between is a function of the program alone, so the order of tasks is all there is to decide.
 */
export class Scheduler {
  readonly #agenda = new Agenda();
  readonly #trace: Trace;
  readonly #threw: (error: unknown) => void;
  #now = 0;
  #order = 0;
  #stopped = false;

  /** @param threw told what a task threw; the next one runs all the same. */
  constructor(trace: Trace, threw: (error: unknown) => void) {
    this.#trace = trace;
    this.#threw = threw;
  }

  /** Milliseconds of virtual time since the start. */
  get now(): number {
    return this.#now;
  }

  /** What is planned and wanted, for whoever looks for leftovers. */
  get pending(): readonly Task[] {
    return this.#agenda.wanted();
  }

  /** Plans `run` in `delayMs` of virtual time from now, in a turn of `owner`. */
  plan(delayMs: number, owner: TaskOwner | null, what: string, run: () => void): Planned {
    const at = this.#now + Math.max(0, delayMs);
    const task: Task = { at, order: ++this.#order, owner, what, run, wanted: true };
    this.#agenda.add(task);
    return {
      cancel: () => {
        task.wanted = false;
      },
    };
  }

  /** Plans again what its owner did not admit when it fell due. */
  replan(task: Task, delayMs: number): void {
    task.at = this.#now + delayMs;
    task.order = ++this.#order;
    this.#agenda.add(task);
  }

  /** Resolves after `delayMs` of virtual time, in no process's turn. */
  pass(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.plan(delayMs, null, 'pass', resolve);
    });
  }

  /** Runs tasks until {@link Scheduler.stop}; rejects when there is nothing left to do. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        const task = this.#stopped ? null : this.#next();
        if (task !== null) {
          setImmediate(step);
          this.#turn(task);
        } else if (this.#stopped) resolve();
        else reject(new Error('nothing is planned any more'));
      };
      setImmediate(step);
    });
  }

  /** Ends {@link Scheduler.run} after this turn. */
  stop(): void {
    this.#stopped = true;
  }

  #turn(task: Task): void {
    try {
      task.run();
    } catch (error) {
      this.#threw(error);
    }
  }

  #next(): Task | null {
    for (;;) {
      const task = this.#agenda.take();
      if (task === undefined) return null;
      if (!task.wanted) continue;
      this.#now = task.at;
      if (task.owner !== null && !task.owner.admits(task)) continue;
      this.#trace.turn(task.at, task.owner?.name ?? 'world', task.what);
      task.wanted = false;
      return task;
    }
  }
}
