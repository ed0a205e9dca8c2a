import type { Backend, Call, Entry, Place } from '@concordat/core/spi';
import { Call as Request, systemClock } from '@concordat/core/spi';
import { concat, filter, firstValueFrom, from, map, NEVER, of, skip, switchMap, take, takeUntil } from 'rxjs';
import { brokenBackend, type Mutant } from './mutant.js';

/** Backends whose lines are wrong. */
export const entryMutants: readonly Mutant[] = [
  brokenBackend(
    'an enter that leaves a ghost when the caller has gone',
    ['ENTRY-32', 'ENTRY-33', 'CANCEL-07'],
    (backend) => ({
      enter: (dir, kind, data, rule, { epoch, signal }) =>
        new Promise<Place>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          backend.enter(dir, kind, data, rule, { epoch, signal: new AbortController().signal }).then(resolve, reject);
        }),
    }),
  ),
  brokenBackend('an enter that tries again without looking', ['ENTRY-30', 'LOSS-11'], (backend, { session }) => ({
    enter: async (dir, kind, data, rule, context) => {
      const tried = backend.enter(dir, kind, data, rule, context);
      const suspended = firstValueFrom(session.state$.pipe(filter(({ state }) => state === 'suspended')), {
        defaultValue: null,
      });
      const lost = await Promise.race([tried.then(() => false), suspended.then(() => true)]);
      if (!lost) return tried;
      await session.connected();
      return backend.enter(dir, kind, data, rule, context);
    },
  })),
  brokenBackend('an enter that looks before it creates', ['ENTRY-05'], (backend) => ({
    enter: async (dir, kind, data, rule, context) => {
      const line = await firstValueFrom(backend.watchChildren(dir, { data: false }));
      const { entry } = await backend.enter(dir, kind, data, rule, context);
      const ahead = line.slice(-rule.limit).map(({ name, kind }) => ({ dir, name, kind, created: null, seen: null }));
      return { entry, ahead };
    },
  })),
  brokenBackend('an enter that answers the farthest ahead', ['ENTRY-03', 'LOCK-31'], (backend) => ({
    enter: async (dir, kind, data, rule, context) => {
      const { entry, ahead } = await backend.enter(dir, kind, data, { ...rule, limit: 10_000 }, context);
      return { entry, ahead: ahead.slice(0, rule.limit) };
    },
    ahead: async (entry, rule, call) =>
      (await backend.ahead(entry, { ...rule, limit: 10_000 }, call))?.slice(0, rule.limit) ?? null,
  })),
  brokenBackend('an enter that counts every kind', ['ENTRY-04'], (backend) => ({
    enter: (dir, kind, data, { limit }, context) => backend.enter(dir, kind, data, { limit }, context),
  })),
  brokenBackend('an enter for whatever session there is', ['ENTRY-21'], (backend, { session }) => ({
    enter: (dir, kind, data, rule, { signal }) =>
      backend.enter(dir, kind, data, rule, { epoch: session.epoch, signal }),
  })),
  brokenBackend('an ahead that never answers null', ['ENTRY-07', 'LOSS-08'], (backend) => ({
    ahead: async (entry, rule, call) => (await backend.ahead(entry, rule, call)) ?? [],
  })),
  brokenBackend('an ahead that sees nobody', ['ENTRY-06', 'CANCEL-02'], (backend) => ({
    ahead: async (entry, rule, call) => ((await backend.ahead(entry, rule, call)) === null ? null : []),
  })),
  brokenBackend('a gone that tells at once', ['ENTRY-08', 'ENTRY-10'], () => ({
    gone: () => of('gone' as const),
  })),
  brokenBackend('a gone that tells of any departure', ['ENTRY-08'], (backend) => ({
    gone: ({ dir }) =>
      backend.watchChildren(dir, { data: false }).pipe(
        skip(1),
        take(1),
        map(() => 'gone' as const),
      ),
  })),
  brokenBackend('a gone that misses what is gone already', ['ENTRY-09'], (backend) => ({
    gone: (ref, options) =>
      from(backend.get(`${ref.dir}/${ref.name}`, 'linearizable', call())).pipe(
        switchMap((there) => (there === null ? NEVER : backend.gone(ref, options))),
      ),
  })),
  brokenBackend('a gone that misses touches', ['ENTRY-10'], (backend) => ({
    gone: (ref) => backend.gone(ref, { touched: false }),
  })),
  brokenBackend('a gone that does not live through a cut', ['ENTRY-36'], (backend, { session }) => ({
    gone: (ref, options) => {
      const suspended = session.state$.pipe(filter(({ state }) => state === 'suspended'));
      return concat(backend.gone(ref, options).pipe(takeUntil(suspended)), NEVER);
    },
  })),
  brokenBackend('the herd: every waiter watches the whole line', ['LOCK-31'], (backend) => ({
    gone: (ref) =>
      backend.watchChildren(ref.dir, { data: false }).pipe(
        filter((children) => children.every(({ name }) => name !== ref.name)),
        take(1),
        map(() => 'gone' as const),
      ),
  })),
  brokenBackend('an update that loses its place', ['ENTRY-13'], (backend) => ({
    update: async (entry, data, request) => {
      await backend.leave(entry, request);
      const { signal } = new AbortController();
      await backend.enter(entry.dir, entry.kind, data, { limit: 1 }, { epoch: entry.epoch, signal });
    },
  })),
  brokenBackend('an update that makes what is gone', ['ENTRY-14'], (backend) => ({
    update: async (entry, data, request) => {
      await backend.put(`${entry.dir}/${entry.name}`, data, { expect: 'any' }, request);
    },
  })),
  brokenBackend('a leave that resolves before the entry is gone', ['ENTRY-15', 'LOCK-11'], (backend) => ({
    leave: async (entry, request) => {
      setTimeout(() => {
        backend.leave(entry, request).catch(() => undefined);
      }, 150);
    },
  })),
  brokenBackend('a leave that removes the first in line', ['ENTRY-15'], (backend) => ({
    leave: async (entry, request) => {
      const oldest = await backend.first(entry.dir, request);
      if (oldest !== null) await backend.delete(`${entry.dir}/${oldest.name}`, {}, request);
    },
  })),
  brokenBackend('tokens that repeat', ['ENTRY-02', 'LOCK-02', 'LOCK-05', 'LOCK-16'], sameCreation),
  brokenBackend('a first that shows the last', ['ENTRY-17'], (backend) => ({
    first: async (dir) => (await firstValueFrom(backend.watchChildren(dir, { data: true }))).at(-1) ?? null,
  })),
  brokenBackend('lines that are not kept apart', ['ENTRY-18', 'LOCK-04'], (backend) => ({
    enter: async (dir, kind, data, rule, context) => {
      const shared = dir.slice(0, 'lock/a'.length);
      return backend.enter(shared, kind, data, rule, context);
    },
  })),
];

function sameCreation(backend: Backend): Partial<Backend> {
  const real = new Map<string, Entry>();
  const original = (entry: Entry): Entry => real.get(entry.name) ?? entry;
  return {
    enter: async (...enter) => {
      const { entry, ahead } = await backend.enter(...enter);
      real.set(entry.name, entry);
      return { entry: { ...entry, created: 7n }, ahead };
    },
    ahead: (entry, rule, request) => backend.ahead(original(entry), rule, request),
    leave: (entry, request) => backend.leave(original(entry), request),
    update: (entry, data, request) => backend.update(original(entry), data, request),
  };
}

function call(): Call {
  return new Request(systemClock.now() + 1_000);
}
