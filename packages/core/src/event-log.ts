import { type Observable, Subject } from 'rxjs';
import { CoordinationError, type CoordinationErrorCode } from './errors.js';
import type { CoordinationEvent, LineEvent, RequestEvent, SessionEvent } from './events.js';
import type { Session } from './spi/session.js';

type Without<Event, Names extends PropertyKey> = Event extends unknown ? Omit<Event, Names> : never;

/** What a step is about. */
export interface Line {
  readonly primitive: string;
  readonly name: string;
}

/** What a recipe says of a step; of what, when and in which session is added here. */
export type LineStep = Without<LineEvent, 'primitive' | 'name' | 'atMs' | 'epoch' | 'session'>;

/** Collects what happens into one hot stream; costs nothing while nobody listens. */
export class EventLog {
  readonly #log$ = new Subject<CoordinationEvent>();
  readonly #session: Session;
  readonly events$: Observable<CoordinationEvent> = this.#log$.asObservable();

  constructor(session: Session) {
    this.#session = session;
    session.observe(({ state, reason }) => {
      const event: SessionEvent = { type: `session-${state}`, reason, ...this.#where() };
      this.#log$.next(event);
    });
  }

  /** Whether anybody listens: for what costs something to find out. */
  get observed(): boolean {
    return this.#log$.observed;
  }

  /** Now, on the scale of `atMs`. */
  now(): number {
    return performance.now();
  }

  line({ primitive, name }: Line, step: LineStep): void {
    if (this.#log$.observed) this.#log$.next({ primitive, name, ...step, ...this.#where() });
  }

  /** A request that began at `startedAt` is over: answered, or failed with `reason`. */
  request(operation: string | null, startedAt: number, failure: { readonly reason: unknown } | null): void {
    const code = failure === null ? null : codeOf(failure.reason);
    if (!this.#log$.observed || code === 'CLOSED') return;
    const where = this.#where();
    const event: RequestEvent = { type: 'request', operation, durationMs: where.atMs - startedAt, code, ...where };
    this.#log$.next(event);
  }

  complete(): void {
    this.#log$.complete();
  }

  #where(): { atMs: number; epoch: number; session: string | null } {
    const { epoch, id } = this.#session.state;
    return { atMs: this.now(), epoch, session: id };
  }
}

function codeOf(reason: unknown): CoordinationErrorCode {
  return CoordinationError.is(reason) ? reason.code : 'BACKEND';
}
