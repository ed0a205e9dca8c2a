import {
  concat,
  concatMap,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  map,
  merge,
  Observable,
  of,
  pairwise,
  share,
  startWith,
  takeWhile,
} from 'rxjs';
import { brokenBackend, type Mutant } from './mutant.js';

/** Backends whose watches are wrong. */
export const watchMutants: readonly Mutant[] = [
  brokenBackend('a watch that goes back', ['WATCH-02', 'WATCH-03'], (backend) => ({
    watch: (key) =>
      backend.watch(key).pipe(
        startWith(undefined),
        pairwise(),
        concatMap(([before, now]) => [now, before, now].filter((register) => register !== undefined)),
      ),
  })),
  brokenBackend('a watch that repeats itself', ['WATCH-01', 'WATCH-12', 'WATCH-21'], (backend) => ({
    watch: (key) => backend.watch(key).pipe(concatMap((register) => [register, register])),
  })),
  brokenBackend('a watch that nobody can take back', ['WATCH-10', 'CONF-51'], (backend) => ({
    watch: (key) => forGood(backend.watch(key)),
  })),
  brokenBackend('a look at an entry that nobody can take back', ['ENTRY-12'], (backend) => ({
    gone: (ref, options) => forGood(backend.gone(ref, options)),
  })),
  brokenBackend('a watch that starts with the next change', ['WATCH-01'], (backend) => ({
    watch: (key) => backend.watch(key).pipe(filter((_, index) => index > 0)),
  })),
  brokenBackend('a watch that ends with its session', ['WATCH-23', 'WATCH-24'], (backend, { session }) => ({
    watch: (key) => backend.watch(key).pipe(takeWhile(() => session.epoch === 1)),
  })),
  brokenBackend('a watch that keeps what is gone', ['WATCH-03', 'WATCH-29'], (backend) => ({
    watch: (key) => backend.watch(key).pipe(filter((register) => register !== null)),
  })),
  brokenBackend('a watch that shows absence in an outage', ['WATCH-20', 'WATCH-24'], (backend, { session }) => ({
    watch: (key) =>
      merge(
        backend.watch(key),
        session.state$.pipe(
          filter(({ state }) => state === 'suspended'),
          map(() => null),
        ),
      ),
  })),
  brokenBackend('a watch that misses a deletion', ['WATCH-03'], (backend) => ({
    watch: (key) => backend.watch(key).pipe(filter((register, index) => index === 0 || register !== null)),
  })),
  brokenBackend('a watch that takes what was made again for the old', ['WATCH-22'], (backend) => ({
    watch: (key) =>
      backend
        .watch(key)
        .pipe(
          distinctUntilChanged(
            (before, now) => before !== null && now !== null && Buffer.compare(before.value, now.value) === 0,
          ),
        ),
  })),
  brokenBackend('a watch of a directory that waits for it to be made', ['WATCH-04'], (backend) => ({
    watchChildren: (dir, options) =>
      backend.watchChildren(dir, options).pipe(filter((children, index) => index > 0 || children.length > 0)),
  })),
  brokenBackend('a watch of a directory that sees only names', ['WATCH-05', 'WATCH-22'], (backend) => ({
    watchChildren: (dir, options) =>
      backend
        .watchChildren(dir, options)
        .pipe(
          distinctUntilChanged(
            (before, now) => before.map(({ name }) => name).join() === now.map(({ name }) => name).join(),
          ),
        ),
  })),
  brokenBackend('a watch of a directory in the order of names', ['WATCH-06'], (backend) => ({
    watchChildren: (dir, options) =>
      backend
        .watchChildren(dir, options)
        .pipe(map((children) => [...children].sort((a, b) => (a.name < b.name ? 1 : -1)))),
  })),
  brokenBackend('a watch that does not end with its backend', ['WATCH-11'], (backend) => ({
    watch: (key) =>
      concat(
        backend.watch(key),
        defer(() => new Promise<null>(() => undefined)),
      ),
  })),
  brokenBackend('a watch of a directory that counts changes further below', ['WATCH-12'], (backend) => ({
    watchChildren: (dir, options) =>
      merge(
        backend.watchChildren(dir, options),
        backend.watch(`${dir}/a/below`).pipe(concatMap((below) => (below === null ? EMPTY : of([])))),
      ).pipe(
        finalize(() => undefined),
        share(),
      ),
  })),
];

function forGood<T>(watch$: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    watch$.subscribe({
      next: (value) => subscriber.next(value),
      error: (reason: unknown) => subscriber.error(reason),
      complete: () => subscriber.complete(),
    });
  });
}
