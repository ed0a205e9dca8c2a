/**
 * Until when a session is certainly alive on the store, as far as this process can prove it.
 *
 * It counts from the *send* time of a heartbeat that the store confirmed, plus the granted timeout, minus max(250 ms, T/20).
 * Which heartbeat: the newest one that is `lagMs` older than the newest. ZooKeeper's followers report their sessions to the
 * leader every half tick, and T is at least two ticks, so there the lag is T/4; on etcd the reply itself comes from the leader, and it is 0.
 */
export class Deadline {
  readonly #marginMs: number;
  readonly #confirmations: number[];

  constructor(
    readonly timeoutMs: number,
    readonly lagMs: number,
    openedAt: number,
  ) {
    this.#marginMs = Math.max(250, timeoutMs / 20);
    this.#confirmations = [openedAt];
  }

  get at(): number {
    return this.#first + this.timeoutMs - this.#marginMs;
  }

  /** When the newest confirmed heartbeat was sent. */
  get newest(): number {
    return this.#confirmations[this.#confirmations.length - 1] ?? 0;
  }

  confirm(sentAt: number): void {
    const newest = this.newest;
    if (sentAt <= newest) return;
    this.#confirmations.push(sentAt);
    const enough = sentAt - this.lagMs;
    while ((this.#confirmations[1] ?? Number.POSITIVE_INFINITY) <= enough) this.#confirmations.shift();
  }

  get #first(): number {
    return this.#confirmations[0] ?? 0;
  }
}
