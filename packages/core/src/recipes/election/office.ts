import { distinctUntilChanged, Observable, Subject } from 'rxjs';
import type { CoordinationError } from '../../errors.js';
import type { EntryGrant } from '../../lines/grant.js';
import type { Session } from '../../spi/session.js';

/** What whoever takes office is told. */
export interface Term {
  leading(): void;
  lost(reason: CoordinationError): void;
}

/** Who leads of the candidates of one election object: one at most. */
export class Office {
  readonly #changes$ = new Subject<void>();
  #grant: EntryGrant | null = null;
  readonly isLeader$: Observable<boolean>;

  constructor(session: Session) {
    this.isLeader$ = new Observable<boolean>((subscriber) => {
      // Listens before it tells: whoever is told may change it. What is told is looked up in that moment.
      const changes = this.#changes$.subscribe(() => subscriber.next(this.#grant?.held === true));
      subscriber.next(this.#grant?.held === true);
      const stopWaiting = session.onClose(() => subscriber.complete());
      return () => {
        changes.unsubscribe();
        stopWaiting();
      };
    }).pipe(distinctUntilChanged());
  }

  /** The grant of the one who leads; checked by whoever uses it. */
  get grant(): EntryGrant | null {
    return this.#grant;
  }

  /** With a grant that is held now. `isLeader$` is never early with true, nor late with false. */
  take(grant: EntryGrant, term: Term): void {
    this.#grant = grant;
    grant.whenOver((reason) => {
      if (this.#grant === grant) this.#grant = null;
      this.#changes$.next();
      term.lost(reason);
    });
    term.leading();
    this.#changes$.next();
  }
}
