import type { Coordinator, Publication, Rendezvous } from '@concordat/core';
import { CoordinationError } from '@concordat/core';
import type { Register } from '@concordat/core/spi';
import { concat, NEVER, take } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

/** Meeting points that are wrong, and backends on which they would be. */
export const rendezvousMutants: readonly Mutant[] = [
  brokenBackend('a meeting with the dead', ['MEET-10'], (backend) => ({
    get: async (key, consistency, call) => {
      const found = await backend.get(key, consistency, call);
      const undead: Register = { value: Uint8Array.of(1), version: 1n, created: 1n, owner: null };
      return found === null && key.startsWith('session/') ? undead : found;
    },
  })),
  brokenBackend('a publication over another', ['MEET-03'], (backend) => ({
    get: async (key, consistency, call) =>
      isMeeting(key) && consistency === 'linearizable' ? null : backend.get(key, consistency, call),
    put: (key, value, options, call) => backend.put(key, value, isMeeting(key) ? { expect: 'any' } : options, call),
  })),
  brokenBackend('a meeting that remembers what it read', ['MEET-05', 'MEET-06'], (backend) => {
    const read = new Map<string, Register>();
    return {
      get: async (key, consistency, call) => {
        const found = read.get(key) ?? (await backend.get(key, consistency, call));
        if (isMeeting(key) && found !== null && found.value.length > 3) read.set(key, found);
        return found;
      },
    };
  }),
  brokenBackend('a meeting whose waiters are not woken', ['MEET-01', 'MEET-02'], (backend) => ({
    watch: (key) => (isMeeting(key) ? concat(backend.watch(key).pipe(take(1)), NEVER) : backend.watch(key)),
  })),
  brokenMeeting('a value that is forgotten without its codec', ['MEET-02', 'MEET-08'], (meeting) => ({
    wait: (options) => meeting.wait(options).catch(() => undefined as never),
    publish: (_, options) => meeting.publish('something else' as never, options),
  })),
  brokenMeeting('a publication that comes when its caller has gone', ['MEET-20', 'MEET-21', 'MEET-23'], (meeting) => ({
    publish: (value, options = {}) => givenUp(meeting.publish(value), options),
  })),
  brokenPublication('a publication that is never over', ['MEET-04', 'MEET-11'], () => ({
    signal: new AbortController().signal,
  })),
  brokenPublication('a withdrawal that only says so', ['MEET-04', 'MEET-05'], () => ({
    withdraw: () => Promise.resolve(),
  })),
  brokenPublication('a withdrawal that ends with an outage', ['MEET-24'], (publication) => ({
    withdraw: () => {
      void publication.withdraw();
      return Promise.resolve();
    },
  })),
];

function isMeeting(key: string): boolean {
  return key.startsWith('meet/');
}

function brokenMeeting(
  name: string,
  fails: readonly string[],
  change: <T>(meeting: Rendezvous<T>) => Partial<Rendezvous<T>>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    const broken = (...of: Parameters<Coordinator['rendezvous']>): Rendezvous<unknown> => {
      const meeting: Rendezvous<unknown> = coordinator.rendezvous(...of);
      return replaced(meeting, change(meeting));
    };
    return { rendezvous: broken as Coordinator['rendezvous'] };
  });
}

function brokenPublication(
  name: string,
  fails: readonly string[],
  change: (publication: Publication) => Partial<Publication>,
): Mutant {
  return brokenMeeting(name, fails, (meeting) => ({
    publish: async (value, options) => {
      const publication = await meeting.publish(value, options);
      return replaced(publication, change(publication));
    },
  }));
}

/** Ends for its caller, and for nobody else. */
function givenUp<T>(
  publishing: Promise<T>,
  { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    publishing.then(resolve, reject);
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
    if (timeoutMs !== undefined) setTimeout(() => reject(new CoordinationError('TIMEOUT', 'late')), timeoutMs).unref();
  });
}
