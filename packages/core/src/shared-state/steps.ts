import { randomUUID } from 'node:crypto';
import { CoordinationError } from '../errors.js';
import type { EventLog } from '../event-log.js';
import type { Line } from '../lines/leaving.js';

/** What one participant of a shared state does, for events: it has no entry, so it is known by an id of its own. */
export class Steps {
  /** Never used twice, so that a late request of an earlier participant is told apart. */
  readonly id: string = randomUUID();
  readonly #events: EventLog;
  readonly #line: Line;
  readonly #startedAt: number;

  constructor(events: EventLog, line: Line) {
    this.#events = events;
    this.#line = line;
    this.#startedAt = events.now();
  }

  requeued(): void {
    this.#events.line({
      ...this.#about(new CoordinationError('SESSION_LOST', 'the session is over')),
      type: 'requeued',
    });
  }

  gaveUp(reason: unknown): void {
    const waitedMs = this.#events.now() - this.#startedAt;
    this.#events.line({ ...this.#about(reason), type: 'gave-up', waitedMs });
  }

  cleanupFailed(reason: unknown): void {
    this.#events.line({ ...this.#about(reason), type: 'cleanup-failed' });
  }

  #about<Reason>(reason: Reason): Line & { entry: string; token: null; reason: Reason } {
    const { primitive, name } = this.#line;
    return { primitive, name, entry: this.id, token: null, reason };
  }
}
