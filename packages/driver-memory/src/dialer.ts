import type { Clock, Timer } from '@concordat/core/spi';
import type { Operation, RequestOf } from './store/protocol.js';
import type { Answered, Transport, TransportEvents } from './transport.js';

const firstRetryMs = 25;
const longestRetryMs = 500;

/** Keeps a connection to the store: dials again with a back-off, and hangs up on one that does not answer in time. */
export class Dialer {
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #silenceLimitMs: number;
  readonly #events: TransportEvents;
  #failures = 0;
  #retry: Timer | null = null;
  #stopped = false;

  /** @param silenceLimitMs how long a request of the session's own may go unanswered. */
  constructor(options: { clock: Clock; transport: Transport; silenceLimitMs: number; events: TransportEvents }) {
    this.#clock = options.clock;
    this.#transport = options.transport;
    this.#silenceLimitMs = options.silenceLimitMs;
    this.#events = { ...options.events, closed: () => this.#closed(options.events) };
  }

  dial(): void {
    this.#transport.connect(this.#events);
  }

  /** Hangs up for good. */
  stop(): void {
    this.#stopped = true;
    this.#retry?.cancel();
    this.#transport.disconnect();
  }

  /** One request of the session's own; a connection that leaves it unanswered is given up. */
  ask<Op extends Operation>(
    operation: Op,
    request: RequestOf<Op>,
    ending: { answered(reply: Answered<Op>): void; failed?(): void },
  ): void {
    const limit = this.#clock.setTimer(() => {
      this.#transport.disconnect();
      this.#events.closed();
    }, this.#silenceLimitMs);
    this.#transport.send(operation, request, {
      answered: (reply) => {
        limit.cancel();
        this.#failures = 0;
        ending.answered(reply);
      },
      failed: () => {
        limit.cancel();
        ending.failed?.();
      },
    });
  }

  #closed(events: TransportEvents): void {
    events.closed();
    if (this.#stopped) return;
    // At once after a connection that was of use; the back-off starts with the first that was not.
    const delayMs = this.#failures === 0 ? 0 : Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestRetryMs);
    this.#failures++;
    this.#retry?.cancel();
    // It keeps the process alive, as the socket of a real store does.
    this.#retry = this.#clock.setTimer(() => this.dial(), delayMs, true);
  }
}
