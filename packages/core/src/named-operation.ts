import type { Backend } from './spi/backend.js';

/** The same backend, which says the name of what is asked of it; for whoever listens to events, since that costs a little. */
export function namingOperations(backend: Backend, tell: (operation: string) => void): Backend {
  return new Proxy(backend, {
    get(target, member) {
      tell(String(member));
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
