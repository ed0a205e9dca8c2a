/** What happens to the bytes of one party on their way to another. */
export interface Rule {
  /**
   * `hold`: they stay where they are and arrive when this ends, as those of a partition do, which TCP sends again.
   * `lose`: they are thrown away, and a connection that lost some is closed when this ends, since it cannot go on.
   */
  readonly mode: 'pass' | 'hold' | 'lose';
  /** How long they are on their way besides, in milliseconds. */
  readonly delayMs: number;
}

/** Nothing is wrong. */
export const open: Rule = { mode: 'pass', delayMs: 0 };
