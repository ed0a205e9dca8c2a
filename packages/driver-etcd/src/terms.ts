import type { RangeReply } from './transport.js';

type Header = Pick<RangeReply['header'], 'member_id' | 'raft_term'>;

/**
 * The newest Raft term in which each member answered a linearizable read; never changed in place.
 *
 * Terms rise with each election, and a restored store has those of its copy, however far it was written since. A member is compared with itself
 * alone: what it tells is the term of the last entry that it applied by itself, and one that caught up by a snapshot has applied none of the
 * newest (EtcdServer.applySnapshot, 3.4 to 3.7).
 */
export class Terms {
  readonly #newest: ReadonlyMap<string, bigint>;

  constructor(newest: ReadonlyMap<string, bigint> = new Map()) {
    this.#newest = newest;
  }

  /** Whether that member answered in a newer one before. */
  isAbove({ member_id, raft_term }: Header): boolean {
    return BigInt(raft_term) < (this.#newest.get(member_id) ?? 0n);
  }

  with({ member_id, raft_term }: Header): Terms {
    const term = BigInt(raft_term);
    return term > (this.#newest.get(member_id) ?? 0n) ? new Terms(new Map([...this.#newest, [member_id, term]])) : this;
  }
}
