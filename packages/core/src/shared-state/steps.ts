import { randomUUID } from 'node:crypto';
import { CoordinationError } from '../errors.js';
import type { EventLog, Line } from '../event-log.js';

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
    const reason = new CoordinationError('SESSION_LOST', 'the session is over');
    this.#events.line(this.#line, { ...this.#about(reason), type: 'requeued' });
  }

  gaveUp(reason: unknown): void {
    const waitedMs = this.#events.now() - this.#startedAt;
    this.#events.line(this.#line, { ...this.#about(reason), type: 'gave-up', waitedMs });
  }

  cleanupFailed(reason: unknown): void {
    this.#events.line(this.#line, { ...this.#about(reason), type: 'cleanup-failed' });
  }

  #about<Reason>(reason: Reason): { entry: string; token: null; reason: Reason } {
    return { entry: this.id, token: null, reason };
  }
}
