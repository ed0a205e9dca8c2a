import type { Call, Key, Register } from '@concordat/core/spi';
import { brokenBackend, type Mutant } from './mutant.js';

/** Backends whose registers are wrong. */
export const registerMutants: readonly Mutant[] = [
  brokenBackend(
    'a put that ignores what it expects',
    ['REG-02', 'REG-03', 'REG-06', 'REG-16', 'REG-17'],
    (backend) => ({
      put: (key, value, { ephemeral }, call) =>
        ephemeral === true
          ? backend.put(key, value, { expect: 'absent', ephemeral }, call)
          : backend.put(key, value, { expect: 'any' }, call),
    }),
  ),
  brokenBackend('a put that takes version 0 for absence', ['REG-05'], (backend) => ({
    put: (key, value, options, call) =>
      backend.put(key, value, options.expect === 0n ? { expect: 'absent' } : options, call),
  })),
  brokenBackend('a put that takes the register over', ['REG-09'], (backend) => ({
    put: async (key, value, options, call) => {
      if (options.expect !== 'any') return backend.put(key, value, options, call);
      await backend.delete(key, {}, call);
      return backend.put(key, value, options, call);
    },
  })),
  brokenBackend('a put that is sent again when no reply came', ['REG-19'], (backend, { session }) => ({
    put: async (key, value, options, call) => {
      try {
        return await backend.put(key, value, options, call);
      } catch {
        await session.connected();
        return backend.put(key, value, options, call);
      }
    },
  })),
  brokenBackend('a put that does not say that it was sent', ['REG-19'], (backend) => ({
    put: (key, value, options, call) => backend.put(key, value, options, silent(call)),
  })),
  brokenBackend('a delete that ignores what it expects', ['REG-06', 'REG-07'], (backend) => ({
    delete: (key, _options, call) => backend.delete(key, {}, call),
  })),
  brokenBackend('a refusal without the current register', ['REG-02', 'REG-03'], (backend) => ({
    put: async (...put) => {
      const result = await backend.put(...put);
      return result.stored ? result : { stored: false, current: null };
    },
  })),
  brokenBackend('a failed read that answers absence', ['REG-18'], (backend) => ({
    get: (key, consistency, call) => backend.get(key, consistency, call).catch(() => null),
  })),
  brokenBackend('a linearizable read from a cache', ['REG-14'], (backend) => {
    const cache = new Map<Key, Register | null>();
    return {
      get: async (key, consistency, call) => {
        const cached = cache.get(key);
        if (cached !== undefined) return cached;
        const read = await backend.get(key, consistency, call);
        cache.set(key, read);
        return read;
      },
    };
  }),
  brokenBackend('children in the order of the store', ['REG-12'], (backend) => ({
    children: async (dir, call) => [...(await backend.children(dir, call))].reverse(),
  })),
  brokenBackend('a purge that removes values', ['REG-20'], (backend) => ({
    purge: async (key, call) => {
      await backend.delete(key, {}, call);
    },
  })),
];

function silent(call: Call): Call {
  return new Proxy(call, {
    get: (target, key) => {
      if (key === 'markSent') return () => undefined;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
