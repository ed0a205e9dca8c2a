import type { Socket } from 'node:net';
import type { Rule } from './rule.js';

/** Changes what is passed on; `null` while it waits for more. Asked until it answers for the first time. */
export type Opening = (bytes: Buffer) => Buffer | null;

type Passed = Buffer | 'end' | 'closed';

/** One direction of a connection, under a rule that may change at any time. */
export class Flow {
  readonly #source: Socket;
  readonly #target: Socket;
  readonly #rule: () => Rule;
  readonly #underway: { readonly what: Passed; readonly due: number }[] = [];
  #opening: Opening | null;
  #lost = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(source: Socket, target: Socket, rule: () => Rule, opening: Opening | null = null) {
    this.#source = source;
    this.#target = target;
    this.#rule = rule;
    this.#opening = opening;
    source.on('data', (bytes) => this.#take(bytes));
    source.on('end', () => this.#take('end'));
    source.on('close', () => this.#take('closed'));
    target.on('drain', () => this.#letRead());
    this.follow();
  }

  /** Whether bytes of it were thrown away. */
  get lost(): boolean {
    return this.#lost;
  }

  /** To be called when the rule has changed. */
  follow(): void {
    this.#letRead();
    this.#deliver();
  }

  // What nobody reads fills the buffers of both kernels, and then the sender waits: as on a network that is cut.
  #letRead(): void {
    if (this.#rule().mode === 'hold' || this.#target.writableNeedDrain) this.#source.pause();
    else this.#source.resume();
  }

  #take(what: Passed): void {
    const { mode, delayMs } = this.#rule();
    if (mode === 'lose') {
      this.#lost = true;
      return;
    }
    const passed = what instanceof Buffer && this.#opening !== null ? this.#opening(what) : what;
    if (passed === null) return;
    if (what instanceof Buffer) this.#opening = null;
    // Delivered in this order, whatever the delay of the next one: a connection never overtakes itself.
    this.#underway.push({ what: passed, due: performance.now() + delayMs });
    this.#deliver();
  }

  #deliver(): void {
    for (;;) {
      const [next] = this.#underway;
      if (next === undefined || this.#rule().mode === 'hold') return;
      const waitMs = next.due - performance.now();
      if (waitMs > 0) {
        this.#later(waitMs);
        return;
      }
      this.#underway.shift();
      this.#pass(next.what);
    }
  }

  #later(waitMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#deliver();
    }, waitMs);
  }

  #pass(what: Passed): void {
    if (this.#target.destroyed) return;
    if (what === 'end') this.#target.end();
    else if (what === 'closed') this.#target.destroySoon();
    else {
      this.#target.write(what);
      this.#letRead();
    }
  }
}
