import type { CoordinationEvent, Coordinator } from '@concordat/core';
import { filter, map, mergeMap, type Observable, of, ReplaySubject } from 'rxjs';
import { brokenCoordinator, brokenRecipe, type Mutant, replaced } from './mutant.js';

/** Coordinators that say something wrong of themselves. */
export const eventMutants: readonly Mutant[] = [
  brokenEvents('events that forget how long a grant was held', ['EVENT-02'], (events$) =>
    events$.pipe(map((event) => (event.type === 'released' ? { ...event, heldMs: null } : event))),
  ),
  brokenEvents('events that tell an end twice', ['EVENT-02'], (events$) =>
    events$.pipe(mergeMap((event) => (event.type === 'grant-lost' ? [event, event] : [event]))),
  ),
  brokenEvents('events that hide who gave up', ['EVENT-03'], (events$) =>
    events$.pipe(filter(({ type }) => type !== 'gave-up')),
  ),
  brokenEvents('waits that count from the entry', ['EVENT-01', 'EVENT-04'], (events$) =>
    events$.pipe(map((event) => (event.type === 'acquired' ? { ...event, waitedMs: 0 } : event))),
  ),
  brokenEvents('events that hide requests', ['EVENT-05'], (events$) =>
    events$.pipe(filter(({ type }) => type !== 'request')),
  ),
  brokenEvents('requests that look answered', ['EVENT-05'], (events$) =>
    events$.pipe(mergeMap((event) => of(event.type === 'request' ? { ...event, code: null } : event))),
  ),
  brokenRecipe('events that are repeated', ['EVENT-06'], (create) => (driver, options) => {
    const coordinator = create(driver, options);
    const kept$ = new ReplaySubject<CoordinationEvent>();
    coordinator.events$.subscribe(kept$);
    return replaced(coordinator, { events$: kept$ });
  }),
  brokenRecipe('a session that says it is safe for the whole of T', ['EVENT-08'], (create) => (driver, options) => {
    const coordinator = create(driver, options);
    const safe = { get: () => performance.now() + (options.sessionTimeoutMs ?? 0) };
    const members = Object.defineProperty({}, 'safeUntil', safe) as Pick<Coordinator, 'safeUntil'>;
    return replaced(coordinator, members);
  }),
];

function brokenEvents(
  name: string,
  fails: readonly string[],
  change: (events$: Observable<CoordinationEvent>) => Observable<CoordinationEvent>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    return { events$: change(coordinator.events$) };
  });
}
