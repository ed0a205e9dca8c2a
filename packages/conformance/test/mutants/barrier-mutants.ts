import type { Barrier } from '@concordat/core';
import { CoordinationError } from '@concordat/core';
import type { Backend, Register } from '@concordat/core/spi';
import { concat, NEVER, take } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Barriers that are wrong, and backends on which they would be. */
export const barrierMutants: readonly Mutant[] = [
  brokenBackend('a barrier that remembers what it read', ['BARR-02', 'BARR-06'], (backend) => {
    const read = new Map<string, Register | null>();
    return {
      get: async (key, consistency, call) => {
        if (!isBarrier(key) || !read.has(key)) read.set(key, await backend.get(key, consistency, call));
        return read.get(key) ?? null;
      },
    };
  }),
  brokenBackend('a barrier that does not count its rounds', ['BARR-03'], (backend) => ({
    put: (key, value, options, call) => backend.put(key, isBarrier(key) ? sameRound(value) : value, options, call),
  })),
  brokenBackend('a barrier that goes with whoever closed it', ['BARR-05'], (backend) => ({
    put: (key, value, options, call) => {
      const ephemeral = isBarrier(key) && options.expect === 'absent';
      return backend.put(key, value, ephemeral ? { ...options, ephemeral } : options, call);
    },
  })),
  brokenBackend('a barrier that writes only what is new', ['BARR-14'], (backend) => ({
    put: async (key, value, options, call) => {
      const current = isBarrier(key) ? await backend.get(key, 'linearizable', call) : null;
      const isSame = current !== null && decoder.decode(current.value) === decoder.decode(value);
      return isSame ? { stored: true, register: current } : backend.put(key, value, options, call);
    },
  })),
  brokenBackend('a barrier that writes again without looking', ['BARR-13'], (backend, { session }) => ({
    put: async (key, value, options, call) => {
      try {
        return await backend.put(key, value, options, call);
      } catch (reason) {
        if (!isBarrier(key) || !CoordinationError.is(reason, 'OUTCOME_UNKNOWN')) throw reason;
        await session.connected();
        return backend.put(key, value, { expect: 'any' }, call);
      }
    },
  })),
  brokenBackend('a barrier whose waiters are not woken', ['BARR-02', 'BARR-12'], (backend) => ({
    watch: (key) => (isBarrier(key) ? concat(backend.watch(key).pipe(take(1)), NEVER) : backend.watch(key)),
  })),
  brokenBackend('a barrier that everything wakes', ['BARR-20'], (backend) => everythingWakes(backend)),
  brokenBarrier('a barrier without limits', ['BARR-10', 'BARR-11'], (barrier) => ({
    wait: () => barrier.wait(),
  })),
  brokenBarrier('a barrier that takes a failure for open', ['BARR-15'], (barrier) => ({
    wait: (options) => barrier.wait(options).catch(() => undefined),
  })),
];

function isBarrier(key: string): boolean {
  return key.startsWith('barrier/');
}

function sameRound(value: Uint8Array): Uint8Array {
  const state = JSON.parse(decoder.decode(value)) as object;
  return encoder.encode(JSON.stringify({ ...state, round: 1 }));
}

// Each wait looks at once, and again, and again.
function everythingWakes(backend: Backend): Partial<Backend> {
  return {
    get: async (key, consistency, call) => {
      if (isBarrier(key)) for (let more = 0; more < 2; more++) await backend.get(key, consistency, call);
      return backend.get(key, consistency, call);
    },
  };
}

function brokenBarrier(name: string, fails: readonly string[], change: (barrier: Barrier) => Partial<Barrier>): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    return {
      barrier: (of) => {
        const barrier = coordinator.barrier(of);
        return replaced(barrier, change(barrier));
      },
    };
  });
}
