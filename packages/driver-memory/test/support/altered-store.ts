import { type Coordinator, createCoordinator } from '@concordat/core';
import { type Backend, CoordinationError, type Driver } from '@concordat/core/spi';
import { onTestFinished } from 'vitest';
import { MemoryStore, memory } from '../../src/index.js';

/** What is refused is refused with this. */
export const refusal = new CoordinationError('BACKEND', 'out of space');

export type Change = (backend: Backend) => Partial<Backend>;

/** A store, and coordinators of which some requests go otherwise; all are closed with the test. */
export class AlteredStore {
  readonly store = new MemoryStore();
  readonly #coordinators: Coordinator[] = [];

  constructor() {
    onTestFinished(async () => {
      await Promise.all(this.#coordinators.map((each) => each.close()));
      this.store.close();
    });
  }

  open(change: Change = () => ({}), link = this.store.link()): Coordinator {
    const driver: Driver = {
      ...memory,
      open: (options) => {
        const backend = memory.open(options);
        const changed = change(backend);
        return new Proxy(backend, {
          get(target, key) {
            const member: unknown = Reflect.get(Object.hasOwn(changed, key) ? changed : target, key);
            return typeof member === 'function' ? (member.bind(target) as unknown) : member;
          },
        });
      },
    };
    const options = { storeName: link.address, sessionTimeoutMs: 3_000, allowShortSession: true };
    const coordinator = createCoordinator(driver, options);
    this.#coordinators.push(coordinator);
    return coordinator;
  }

  /** How many keys have this in them. */
  count(part: string): number {
    return this.store.keys.filter((key) => key.includes(part)).length;
  }

  /** Deletes the first entry with this in its key by hand. */
  deleteEntry(part: string): void {
    const key = this.store.keys.find((each) => each.includes(part)) ?? '';
    const end = key.lastIndexOf('/');
    this.store.deleteEntry(key.slice(0, end), key.slice(end + 1));
  }
}

/** Refuses the next write of such a register, as many times as `next` is told. */
export function refusing(prefix: string): { readonly change: Change; next(times?: number): void } {
  let refusals = 0;
  return {
    change: (backend) => ({
      put: async (key, ...rest) => {
        if (!key.startsWith(prefix) || refusals === 0) return backend.put(key, ...rest);
        refusals -= 1;
        throw refusal;
      },
    }),
    next: (times = 1) => {
      refusals += times;
    },
  };
}
