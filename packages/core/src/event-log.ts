import { type Observable, Subject } from 'rxjs';
import type { CoordinationEvent, LineEvent, SessionEvent } from './events.js';
import type { Session } from './spi/session.js';

type LineStep = Omit<LineEvent, 'atMs' | 'epoch' | 'session'>;

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

  line(step: LineStep): void {
    if (this.#log$.observed) this.#log$.next({ ...step, ...this.#where() });
  }

  complete(): void {
    this.#log$.complete();
  }

  #where(): { atMs: number; epoch: number; session: string | null } {
    const { epoch, id } = this.#session.state;
    return { atMs: performance.now(), epoch, session: id };
  }
}
