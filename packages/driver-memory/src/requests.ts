import type { Call, Session } from '@concordat/core/spi';
import { closedError, endedError, RefusedError, translate, unavailableError } from './errors.js';
import type { AnswerOf, Operation, RequestOf } from './store/protocol.js';
import type { Transport } from './transport.js';

/** Requests on behalf of the session: what their replies say about it is reported before they are passed on. */
export class Requests {
  readonly #session: Session;
  readonly #transport: Transport;
  #closed = false;

  constructor(session: Session, transport: Transport) {
    this.#session = session;
    this.#transport = transport;
  }

  /** Asks the store once; rejects with a `CoordinationError`, `OUTCOME_UNKNOWN` for a write whose reply was lost. */
  ask<Op extends Operation>(operation: Op, request: RequestOf<Op>, call?: Call): Promise<AnswerOf<Op>> {
    const session = this.#session;
    if (this.#closed) return Promise.reject(closedError());
    if (session.state.state !== 'connected' || !this.#transport.up) return Promise.reject(unavailableError());
    const { epoch, order } = session;
    call?.markSent();
    return new Promise((resolve, reject) => {
      this.#transport.send(operation, request, {
        answered: ({ answer, revision }) => {
          session.saw(epoch, revision, order);
          resolve(answer);
        },
        failed: (error) => {
          if (error instanceof RefusedError && error.refusal === 'no-session') session.lose(epoch, endedError(error));
          reject(translate(error, operation));
        },
      });
    });
  }

  /** From now on nothing is sent. */
  close(): void {
    this.#closed = true;
  }
}
