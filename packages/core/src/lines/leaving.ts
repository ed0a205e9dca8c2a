import { Backoff } from '../backoff.js';
import { CoordinationError, closedError } from '../errors.js';
import type { EventLog, Line } from '../event-log.js';
import { pause } from '../pause.js';
import type { Requests } from '../requests.js';
import type { Entry } from '../spi/backend.js';
import type { Session } from '../spi/session.js';

/** What ends with a leaving, for events. */
export interface Held {
  readonly token: bigint;
  readonly heldMs: number;
}

/**
 * Removes entries, and does not let go before each is certainly gone or its session is over: an entry left behind would
 * block a line for as long as this process lives.
 */
export class Leaving {
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    readonly requests: Requests,
    readonly events: EventLog,
  ) {}

  /** Resolves when the entry is gone or its session over; never rejects. An entry is known by its creation, so a repeat is harmless. */
  leave(line: Line, entry: Entry, held: Held | null = null): Promise<void> {
    return this.track(this.#leave(line, entry, held));
  }

  /** Lets `close()` wait for something that goes on behind its caller. */
  track<T>(work: Promise<T>): Promise<T> {
    const done = (): void => {
      this.#running.delete(work);
    };
    this.#running.add(work);
    work.then(done, done);
    return work;
  }

  /** Resolves when nothing is left running. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  async #leave(line: Line, entry: Entry, held: Held | null): Promise<void> {
    const { session } = this.requests;
    const backoff = new Backoff();
    while (!session.closed && session.epoch === entry.epoch) {
      try {
        await this.requests.write((backend, call) => backend.leave(entry, call), entry.epoch);
        return this.#left(line, entry, held, null);
      } catch (reason) {
        if (CoordinationError.is(reason, 'SESSION_LOST') || CoordinationError.is(reason, 'CLOSED')) break;
        this.events.line(line, { type: 'cleanup-failed', entry: entry.name, token: null, reason });
        await pause(session, this.requests.clock, backoff.nextMs);
      }
    }
    // It goes with its session. Of a grant the end is told in any case, of others there is nothing to say.
    if (held !== null) this.#left(line, entry, held, endOf(session));
  }

  #left(line: Line, entry: Entry, held: Held | null, reason: CoordinationError | null): void {
    const { token, heldMs } = held ?? { token: null, heldMs: null };
    this.events.line(line, { type: 'released', entry: entry.name, token, heldMs, reason });
  }
}

function endOf(session: Session): CoordinationError {
  return session.closed ? closedError() : new CoordinationError('SESSION_LOST', 'the session is over');
}
