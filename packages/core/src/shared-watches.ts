import { defer, finalize, merge, Observable, ReplaySubject, share, switchMap, take, tap } from 'rxjs';
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
    const shared: Observable<T> = merge(this.#opened().pipe(switchMap(watch)), this.#refusals()).pipe(
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

  // A watch is silent in an outage, and so it would be for ever where no session is opened until somebody mends it.
  #refusals(): Observable<never> {
    const { session } = this;
    return new Observable((subscriber) => {
      let takeBack = (): void => undefined;
      const wait = (): void => {
        takeBack();
        takeBack = session.whenConnected({
          epoch: undefined,
          resolve: () => undefined,
          reject: (error) => (session.closed ? subscriber.complete() : subscriber.error(error)),
        });
      };
      const stopObserving = session.observe(({ state }) => {
        if (state === 'connecting') wait();
      });
      const stopWaiting = session.onClose(() => subscriber.complete());
      if (session.state.state === 'connecting') wait();
      return () => {
        takeBack();
        stopObserving();
        stopWaiting();
      };
    });
  }
}
