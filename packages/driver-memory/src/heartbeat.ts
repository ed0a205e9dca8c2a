import type { Clock, Session, Timer } from '@concordat/core/spi';
import type { Dialer } from './dialer.js';
import { endedError } from './errors.js';

/** How one heartbeat ended: confirmed for this very session, its end by the store's word, or without an answer. */
export interface BeatEnding {
  confirmed(): void;
  ended?(): void;
  failed?(): void;
}

/** A sixth of the timeout, but not more than one a second unless the session is that short. */
export function heartbeatIntervalMs(timeoutMs: number): number {
  return Math.min(Math.max(1_000, timeoutMs / 6), timeoutMs / 4);
}

/** Heartbeats of one session after the other: what the store confirms is reported, and only that. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #session: Session;
  readonly #dialer: Dialer;
  #next: Timer | null = null;

  constructor(clock: Clock, session: Session, dialer: Dialer) {
    this.#clock = clock;
    this.#session = session;
    this.#dialer = dialer;
  }

  /** Sends one now, and the next ones each an interval after the last that was confirmed was sent. */
  start(id: string): void {
    const sentAt = this.#clock.now();
    this.beat(id, { confirmed: () => this.continue(id, sentAt) });
  }

  /** Goes on after a confirmation that was sent at `sentAt`. */
  continue(id: string, sentAt: number): void {
    const dueInMs = sentAt + heartbeatIntervalMs(this.#session.state.timeoutMs) - this.#clock.now();
    this.#next?.cancel();
    // It keeps the process alive, as the socket of a real store does.
    this.#next = this.#clock.setTimer(() => this.start(id), dueInMs, true);
  }

  stop(): void {
    this.#next?.cancel();
  }

  /** Sends one heartbeat. */
  beat(id: string, ending: BeatEnding): void {
    const session = this.#session;
    const { epoch, order } = session;
    const sentAt = this.#clock.now();
    this.#dialer.ask(
      'heartbeat',
      { session: id },
      {
        answered: ({ answer, revision }) => {
          session.saw(epoch, revision, order);
          if (answer.alive) session.confirmed(epoch, sentAt);
          else session.lose(epoch, endedError());
          // A confirmation that came too late, or from a store that went back, has ended the session by now.
          if (session.state.id === id && session.alive()) ending.confirmed();
          else ending.ended?.();
        },
        failed: () => ending.failed?.(),
      },
    );
  }
}
