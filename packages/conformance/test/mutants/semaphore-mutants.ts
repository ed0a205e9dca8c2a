import type { Semaphore } from '@concordat/core';
import type { Backend, Kind, Place, Ref } from '@concordat/core/spi';
import { firstValueFrom } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

/** Semaphores that let too many in, or leave a permit idle. */
export const semaphoreMutants: readonly Mutant[] = [
  brokenCoordinator('a semaphore with one permit too many', ['SEM-01', 'SEM-02', 'SEM-04'], (coordinator) => ({
    semaphore: (name, permits) => coordinator.semaphore(name, permits + 1),
  })),
  brokenCoordinator('a semaphore with one permit', ['SEM-02', 'SEM-09'], (coordinator) => ({
    semaphore: (name) => coordinator.semaphore(name, 1),
  })),
  brokenCoordinator('an acquire that ends and leaves its entry', ['SEM-22', 'SEM-23'], (coordinator) => ({
    semaphore: (name, permits) => {
      const semaphore = coordinator.semaphore(name, permits);
      return replaced<Semaphore>(semaphore, {
        acquire: ({ signal, ...options } = {}) => {
          const aborted = new Promise<never>((_, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason));
          });
          return Promise.race([semaphore.acquire(options), aborted]);
        },
      });
    },
  })),
  brokenBackend('one who got in and tells nobody', ['SEM-04', 'SEM-24'], () => ({
    update: () => Promise.resolve(),
  })),
  brokenBackend('waiters who hear only of departures', ['SEM-04', 'SEM-26'], (backend) => ({
    gone: (ref) => backend.gone(ref, { touched: false }),
  })),
  brokenBackend('a late answer that is taken for that of the creation', ['SEM-26'], (backend) => ({
    enter: async (...entering) => ({ ...(await backend.enter(...entering)), atCreation: true }),
  })),
  brokenBackend('numbers of permits that nobody compares', ['SEM-06', 'SEM-08'], alike),
  brokenBackend('one mistaken who decides on the permits', ['SEM-07'], (backend) => ({
    first: async (dir) => {
      const line = await firstValueFrom(backend.watchChildren(dir, { data: true }));
      return line.find(({ kind }) => kind === 'lease:7') ?? line[0] ?? null;
    },
  })),
  brokenBackend('waiters who all take themselves for the first', ['SEM-40', 'SEM-43'], (backend) => ({
    enter: (dir, kind, data, { limit }, context) => backend.enter(dir, kind, data, { limit: limit - 1 }, context),
    ahead: (entry, { limit }, call) => backend.ahead(entry, { limit: limit - 1 }, call),
  })),
  brokenBackend('a line of its own for nobody', ['SEM-12', 'RW-13'], (backend) => ({
    enter: (dir, ...entering) => backend.enter(dir.replace(/^(sem|rw)/, 'lock'), ...entering),
  })),
];

function alike(backend: Backend): Partial<Backend> {
  const asMine = (ahead: readonly Ref[], kind: Kind): readonly Ref[] => ahead.map((ref) => ({ ...ref, kind }));
  return {
    enter: async (dir, kind, ...entering): Promise<Place> => {
      const place = await backend.enter(dir, kind, ...entering);
      return { ...place, ahead: asMine(place.ahead, kind) };
    },
    ahead: async (entry, ...asking) => {
      const ahead = await backend.ahead(entry, ...asking);
      return ahead === null ? null : asMine(ahead, entry.kind);
    },
  };
}
