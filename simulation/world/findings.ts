/** One thing that must not be, and where it was seen. */
export interface Violation {
  /** Which rule was broken, as the documentation names it. */
  readonly rule: string;
  readonly detail: string;
  /** Milliseconds of virtual time. */
  readonly atMs: number;
}

/** What one run found, and what it did. */
export class Findings {
  readonly #now: () => number;
  readonly #found: (violation: Violation) => void;
  readonly #tally = new Map<string, number>();
  readonly violations: Violation[] = [];

  /** @param found told of each violation at once. */
  constructor(now: () => number, found: (violation: Violation) => void) {
    this.#now = now;
    this.#found = found;
  }

  /** A rule is broken. */
  report(rule: string, detail: string): void {
    const violation = { rule, detail, atMs: this.#now() };
    this.violations.push(violation);
    this.#found(violation);
  }

  /** Something worth counting happened: a run that does nothing proves nothing. */
  count(what: string): void {
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + 1);
  }

  counted(what: string): number {
    return this.#tally.get(what) ?? 0;
  }

  get tally(): ReadonlyMap<string, number> {
    return this.#tally;
  }
}
