/** Something due at a moment of virtual time. */
export interface Task {
  /** When, in milliseconds of virtual time. */
  at: number;
  /** Breaks ties: what was planned first runs first. */
  order: number;
  /** Whose turn it is: a process, or `null` for the store and the nemesis. */
  readonly owner: TaskOwner | null;
  /** For the trace. */
  readonly what: string;
  readonly run: () => void;
  /** False once taken back. */
  wanted: boolean;
}

/** A process that may be paused, or gone, when its task falls due. */
export interface TaskOwner {
  readonly name: string;
  /** True when nothing of it will ever run again. */
  readonly dead: boolean;
  /** True when the task is to run now; otherwise the owner keeps or drops it. */
  admits(task: Task): boolean;
}

/** What is to come, in order of time: a binary heap. */
export class Agenda {
  readonly #heap: Task[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(task: Task): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, task)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = task;
  }

  peek(): Task | undefined {
    return this.#heap[0];
  }

  take(): Task | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  /** Everything still to come that is wanted, in no order. */
  wanted(): readonly Task[] {
    return this.#heap.filter((task) => task.wanted);
  }

  #sink(task: Task): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      if (left === undefined) break;
      const right = heap[2 * index + 2];
      const below = right !== undefined && isBefore(right, left) ? right : left;
      if (isBefore(task, below)) break;
      heap[index] = below;
      index = 2 * index + (below === left ? 1 : 2);
    }
    heap[index] = task;
  }
}

function isBefore(one: Task, other: Task): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
