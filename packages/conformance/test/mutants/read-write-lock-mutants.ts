import type { ReadWriteLock } from '@concordat/core';
import type { Backend, Kind, Place, Rule } from '@concordat/core/spi';
import { Call, systemClock } from '@concordat/core/spi';
import { filter, map, take } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant } from './mutant.js';

/** Read/write locks whose sides are mixed up, or that wake the wrong ones. */
export const readWriteLockMutants: readonly Mutant[] = [
  brokenSides('readers who keep each other out', ['RW-06', 'RW-08'], ({ write }) => ({ read: write, write })),
  brokenSides('writers beside each other', ['RW-03', 'RW-06', 'RW-12'], ({ read }) => ({ read, write: read })),
  brokenBackend('a writer that waits for writers only', ['RW-01', 'RW-03', 'RW-09', 'RW-12'], (backend) =>
    ruled(backend, 'write', { of: 'write', limit: 1 }),
  ),
  brokenBackend('a reader that waits for everybody', ['RW-05', 'RW-06'], (backend) =>
    ruled(backend, 'read', { limit: 1 }),
  ),
  brokenBackend('readers who overtake a writer that waits', ['RW-02', 'RW-06'], (backend) => ({
    enter: async (...entering): Promise<Place> => {
      const place = await backend.enter(...entering);
      if (place.entry.kind !== 'read') return place;
      const all = await backend.ahead(place.entry, { limit: 100 }, new Call(systemClock.now() + 1_000));
      return all?.[0]?.kind === 'read' ? { ...place, ahead: [] } : place;
    },
  })),
  brokenBackend('a herd of readers and writers', ['RW-04', 'RW-16'], (backend) => ({
    gone: (ref) =>
      backend.watchChildren(ref.dir, { data: false }).pipe(
        filter((children) => children.every(({ name }) => name !== ref.name)),
        take(1),
        map(() => 'gone' as const),
      ),
  })),
  brokenBackend('a waiter that is let in without its entry', ['RW-10'], (backend) => ({
    ahead: async (...asking) => (await backend.ahead(...asking)) ?? [],
  })),
];

/** Entries of one kind that go by another rule. */
function ruled(backend: Backend, of: Kind, instead: Rule): Partial<Backend> {
  return {
    enter: (dir, kind, data, rule, context) => backend.enter(dir, kind, data, kind === of ? instead : rule, context),
    ahead: (entry, rule, call) => backend.ahead(entry, entry.kind === of ? instead : rule, call),
  };
}

function brokenSides(name: string, fails: readonly string[], change: (whole: ReadWriteLock) => ReadWriteLock): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    return { readWriteLock: (of) => change(coordinator.readWriteLock(of)) };
  });
}
