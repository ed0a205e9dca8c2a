import { CoordinationError, closedError } from './errors.js';
import type { EventLog } from './event-log.js';
import { namingOperations } from './named-operation.js';
import type { Backend } from './spi/backend.js';
import { Call } from './spi/call.js';
import type { Clock } from './spi/clock.js';
import type { Session } from './spi/session.js';

const pauseMs = 20;

/** Follows one request for the events. */
interface RequestLog {
  naming(backend: Backend): Backend;
  over(failure: { readonly reason: unknown } | null): void;
}

type Run<T> = (backend: Backend, call: Call) => Promise<T>;

/**
 * Every request of every recipe goes through here: it waits for the session, has one limit counted from the call, and its reply is
 * passed on only after the session's clock was checked.
 *
 * Past the limit a read, or what was never sent, rejects `UNAVAILABLE`; a write that was sent rejects `OUTCOME_UNKNOWN`.
 */
export class Requests {
  readonly #pending = new Set<(error: CoordinationError) => void>();

  constructor(
    readonly session: Session,
    readonly clock: Clock,
    readonly timeoutMs: number,
    readonly backend: () => Backend | null,
    readonly events: EventLog | null = null,
  ) {
    session.onClose(() => {
      const error = closedError();
      for (const reject of [...this.#pending]) reject(error);
    });
  }

  /**
   * The backend, for what is no single request.
   *
   * @throws {CoordinationError} `UNAVAILABLE` while the driver is not open.
   */
  opened(): Backend {
    const backend = this.backend();
    if (backend === null) throw new CoordinationError('UNAVAILABLE', 'the driver is not open');
    return backend;
  }

  /** @param epoch only within this session; without it the request may wait for the next one. */
  read<T>(run: Run<T>, epoch?: number): Promise<T> {
    return this.#request(run, epoch, false);
  }

  write<T>(run: Run<T>, epoch?: number): Promise<T> {
    return this.#request(run, epoch, true);
  }

  #request<T>(run: Run<T>, epoch: number | undefined, changes: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = this.clock.now() + this.timeoutMs;
      let call = new Call(deadline);
      let takeBack: () => void = () => undefined;
      const log = this.#log();
      const end = (): boolean => {
        if (call.over) return false;
        call.end();
        timer.cancel();
        takeBack();
        this.#pending.delete(fail);
        this.session.alive();
        return true;
      };
      const fail = (error: unknown): void => {
        if (!end()) return;
        log?.over({ reason: error });
        reject(error);
      };
      const answered = (value: T): void => {
        if (!end()) return;
        log?.over(null);
        resolve(value);
      };
      // `UNAVAILABLE` is the driver's word that nothing was applied: asked again until the limit, over a reconnect as well.
      const refused = (error: unknown): void => {
        if (call.over) return;
        if (CoordinationError.is(error, 'UNAVAILABLE')) takeBack = this.#later(ask);
        else fail(error);
      };
      const start = (): void => {
        const backend = this.backend();
        call = new Call(deadline);
        if (backend === null) refused(new CoordinationError('UNAVAILABLE', 'the driver is not open'));
        else run(log === null ? backend : log.naming(backend), call).then(answered, refused);
      };
      const ask = (): void => {
        takeBack = this.session.whenConnected({ epoch, resolve: start, reject: fail });
        if (call.over) takeBack();
      };
      const timer = this.clock.setTimer(() => fail(this.#timeoutError(changes && call.sent)), this.timeoutMs, true);
      this.#pending.add(fail);
      ask();
    });
  }

  // What an event says of a request is gathered only where somebody listens.
  #log(): RequestLog | null {
    const { events } = this;
    if (events?.observed !== true) return null;
    const startedAt = events.now();
    let operation: string | null = null;
    return {
      naming: (backend) =>
        namingOperations(backend, (name) => {
          operation = name;
        }),
      over: (failure) => events.request(operation, startedAt, failure),
    };
  }

  // A pause first: a driver may know of a cut before the session's state shows it.
  #later(ask: () => void): () => void {
    const timer = this.clock.setTimer(ask, pauseMs, true);
    return () => timer.cancel();
  }

  #timeoutError(outcomeUnknown: boolean): CoordinationError {
    const cause = this.session.trouble;
    const code = outcomeUnknown ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE';
    const limit = Math.round(this.timeoutMs).toLocaleString('en-US');
    const message = `no answer within ${limit} ms${this.session.plight}`;
    return new CoordinationError(code, message, cause === null ? {} : { cause });
  }
}
