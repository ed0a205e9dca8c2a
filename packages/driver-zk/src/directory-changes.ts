import type { Listing } from './connection.js';

const mostDirectories = 1_000;

interface Known {
  /** How many children had been deleted, when last listed and by this session since. */
  deletes: number;
  /** Deletes of this session that are not answered yet. */
  pending: number;
}

/**
 * What this session knows of the changes in a directory: enough to prove, from one listing, which transaction created an entry.
 *
 * A listing tells the last change of the directory (pzxid), not the creation of mine. They are the same when nothing was created after mine (the
 * directory has counted one creation more than my sequence) and nothing was deleted after it (as many deletions as were known before).
 * A lock that was free and mine the last time is granted so in one round trip; whoever met others asks for its own entry.
 */
export class DirectoryChanges {
  #known = new Map<string, Known>();

  /** Deletions known now, all before whatever is sent next; `null` when that is not certain. */
  deletes(path: string): number | null {
    const known = this.#known.get(path);
    return known === undefined || known.pending > 0 ? null : known.deletes;
  }

  /** A listing came, in the order of the replies. */
  listed(path: string, { deletes }: Listing): void {
    const known = this.#known.get(path);
    if (deletes === null) this.#known.delete(path);
    else if (known !== undefined) known.deletes = deletes;
    else {
      if (this.#known.size >= mostDirectories) this.#known.clear();
      this.#known.set(path, { deletes, pending: 0 });
    }
  }

  /** One child is being deleted by this session; returns what takes the answer. */
  deleting(path: string): (outcome: 'deleted' | 'absent' | 'unknown') => void {
    const known = this.#known.get(path);
    if (known === undefined) return () => undefined;
    known.pending += 1;
    return (outcome) => {
      known.pending -= 1;
      if (outcome === 'deleted') known.deletes += 1;
      if (outcome === 'unknown' && this.#known.get(path) === known) this.#known.delete(path);
    };
  }

  /** Another connection: replies of the one before may be missing. */
  forget(): void {
    this.#known.clear();
  }
}

/**
 * The transaction that created the entry with this sequence, where the listing behind its creation proves it.
 *
 * @param before deletions known before it was created; `null` when that is not certain.
 */
export function provenCreation(listing: Listing, sequence: number, before: number | null): bigint | null {
  const { creates, deletes, lastChange } = listing;
  const alone = before !== null && creates === sequence + 1 && deletes === before;
  return alone ? lastChange : null;
}
