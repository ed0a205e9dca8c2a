import type { Context } from '../context.js';
import type { Line } from '../event-log.js';
import type { Child, Entry } from '../spi/backend.js';
import type { Wait } from '../wait.js';

const farthestLook = 2_000;
const longestLeadMs = 1_000;

/** What a timeout says of a wait: filled in shortly before the limit. */
export class Standing {
  #text = '';
  /** Name of the entry that stands for this wait, or `null` while there is none. */
  entry: string | null = null;

  /** @param line of a semaphore with its number of permits. */
  constructor(readonly line: Line & { readonly permits?: number }) {}

  /** For the message of a timeout. */
  describe(): string {
    return `${this.line.primitive} "${this.line.name}" was not granted${this.#text}`;
  }

  /** Forgets the place: not in the line, or not any more. */
  clear(): void {
    this.#text = '';
  }

  stand(ahead: number, holder: string | null): void {
    const { permits = 1 } = this.line;
    const heldBy = permits > 1 ? `${String(permits)} permits held, the oldest by` : 'held by';
    const place = ahead < farthestLook ? `place ${String(ahead + 1)}` : `beyond place ${String(farthestLook)}`;
    this.#text = `: ${place} in line${holder === null ? '' : `, ${heldBy} ${holder}`}`;
  }
}

/**
 * Looks where I stand shortly before the limit, since no wait outlives its limit to ask then. Costs two reads,
 * and only for a wait that nearly timed out.
 */
export function watchStanding(context: Context, wait: Wait, entry: Entry, standing: Standing): () => void {
  const { remainingMs } = wait;
  if (!Number.isFinite(remainingMs)) return () => standing.clear();
  const timer = context.clock.setTimer(() => void look(), remainingMs - Math.min(longestLeadMs, remainingMs / 2));
  async function look(): Promise<void> {
    const { requests } = context;
    try {
      const [ahead, first] = await Promise.all([
        requests.read((backend, call) => backend.ahead(entry, { limit: farthestLook }, call), entry.epoch),
        requests.read((backend, call) => backend.first(entry.dir, call), entry.epoch),
      ]);
      if (ahead !== null) standing.stand(ahead.length, holderOf(first));
    } catch {
      // Only a message would have been better for it.
    }
  }
  return () => {
    timer.cancel();
    standing.clear();
  };
}

function holderOf(first: Child | null): string | null {
  if (first === null) return null;
  const owner = first.register?.owner;
  return owner == null ? first.name : `session ${owner} (${first.name})`;
}
