import type { Client } from './fixture.js';

/**
 * Does something right after the next request of that kind was answered, and before the recipe goes on: so that a fault hits
 * the one which follows it.
 *
 * @param operation as events tell it, such as `get`.
 */
export function afterRequest({ coordinator }: Client, operation: string, act: () => void): void {
  const listening = coordinator.events$.subscribe((event) => {
    if (event.type !== 'request' || event.operation !== operation || event.code !== null) return;
    listening.unsubscribe();
    act();
  });
}
