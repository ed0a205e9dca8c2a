import type { Fact } from '../world/store-truth.js';
import type { World } from '../world/world.js';

/** A state of a register, and from when to when it was the present one, in milliseconds of virtual time. */
export interface Span<T> {
  readonly version: bigint | null;
  /** `null` while it is absent. */
  readonly state: T | null;
  readonly fromMs: number;
  untilMs: number;
}

/** Every state that a register ever had, by the store's own order. */
export class RegisterHistory<T> {
  readonly #spans: Span<T>[] = [
    { version: null, state: null, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY },
  ];

  /** @param changed told of each new state and the one before it. */
  constructor(
    world: World,
    dir: string,
    name: string,
    decode: (fact: Fact) => T,
    changed: (now: Span<T>, before: Span<T>) => void = () => undefined,
  ) {
    world.truth.follow(dir, 'registers');
    world.truth.onChange((change) => {
      if (change.dir !== dir || change.name !== name) return;
      const { fact, atMs } = change;
      const before = this.last;
      before.untilMs = atMs;
      const state = fact === null ? null : decode(fact);
      const now = { version: fact?.version ?? null, state, fromMs: atMs, untilMs: Number.POSITIVE_INFINITY };
      this.#spans.push(now);
      changed(now, before);
    });
  }

  /** How it is now. */
  get last(): Span<T> {
    const last = this.#spans[this.#spans.length - 1];
    if (last === undefined) throw new Error('a history has a beginning');
    return last;
  }

  /** What it was at some moment since then, oldest first. */
  since(ms: number): readonly Span<T>[] {
    const first = this.#spans.findIndex(({ untilMs }) => untilMs >= ms);
    return this.#spans.slice(first);
  }

  /** What was there right before that state. */
  before(span: Span<T>): Span<T> | null {
    return this.#spans[this.#spans.indexOf(span) - 1] ?? null;
  }
}
