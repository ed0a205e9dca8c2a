import type { Grant } from '@concordat/core';
import type { Client } from '../world/client.js';
import type { Fact } from '../world/store-truth.js';

/** Something granted in the order of a line, and who in it is in whose way. */
export interface GuardedLine {
  readonly dir: string;
  /** How many may hold at once. */
  readonly permits: number;
  /** Whether these two may not hold at once; of kinds of entries, such as `lock` or `read`. */
  readonly excludes: (one: string, other: string) => boolean;
}

/** Believed to be held, until its holder is told otherwise. */
export class Holding {
  released = false;

  constructor(
    readonly line: GuardedLine,
    readonly client: Client,
    readonly grant: Grant,
    readonly token: bigint,
    readonly kind: string,
    readonly session: string | null,
  ) {}

  /** Whether its holder, asked now, believes to hold it; asks its clock. */
  get believed(): boolean {
    if (this.released) return false;
    try {
      this.grant.assertHeld();
      return true;
    } catch {
      return false;
    }
  }

  get title(): string {
    return `${this.client.name} on ${this.line.dir} with token ${this.token}`;
  }
}

/** What kind of entry a name of the memory backend stands for: `<session>-<n>-<kind>`. */
export function kindOf({ name }: Pick<Fact, 'name'>): string {
  return name.slice(name.indexOf('-', name.indexOf('-') + 1) + 1);
}
