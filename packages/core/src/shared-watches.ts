import { defer, finalize, Observable, ReplaySubject, share, switchMap, take, tap } from 'rxjs';
import type { Backend, Child, Key, Register } from './spi/backend.js';
import type { Session } from './spi/session.js';

/**
 * One watch per name and process, however many subscribe: counted, the latest value replayed, ended with the last subscriber.
 * Cold: what nobody subscribes to is not kept, and each subscription joins the watch that is open then.
 */
export class SharedWatches {
  readonly #registers = new Map<Key, Observable<Register | null>>();
  readonly #children = new Map<string, Observable<readonly Child[]>>();

  constructor(
    readonly session: Session,
    readonly backend: () => Backend | null,
  ) {}

  register(key: Key): Observable<Register | null> {
    return defer(() => this.#shared(this.#registers, key, (backend) => backend.watch(key)));
  }

  children(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]> {
    const name = options.data ? `data:${dir}` : `names:${dir}`;
    return defer(() => this.#shared(this.#children, name, (backend) => backend.watchChildren(dir, options)));
  }

  /** How many watches are open. */
  get size(): number {
    return this.#registers.size + this.#children.size;
  }

  #shared<T>(
    open: Map<string, Observable<T>>,
    name: string,
    watch: (backend: Backend) => Observable<T>,
  ): Observable<T> {
    const there = open.get(name);
    if (there !== undefined) return there;
    const shared: Observable<T> = this.#opened().pipe(
      switchMap(watch),
      // The clock goes first: after a pause nothing is emitted before a loss was declared.
      tap(() => this.session.alive()),
      finalize(() => {
        if (open.get(name) === shared) open.delete(name);
      }),
      share({ connector: () => new ReplaySubject<T>(1) }),
    );
    open.set(name, shared);
    return shared;
  }

  // A driver that is loaded on first use has no backend yet: the first connection tells that there is one.
  #opened(): Observable<Backend> {
    const now = new Observable<Backend>((subscriber) => {
      const look = (): void => {
        const backend = this.backend();
        if (backend !== null) subscriber.next(backend);
      };
      look();
      const stopObserving = this.session.observe(look);
      const stopWaiting = this.session.onClose(() => subscriber.complete());
      const stopRefusal = this.session.whenConnected({
        epoch: undefined,
        resolve: look,
        reject: (error) => (this.session.closed ? subscriber.complete() : subscriber.error(error)),
      });
      return () => {
        stopObserving();
        stopWaiting();
        stopRefusal();
      };
    });
    return now.pipe(take(1));
  }
}
