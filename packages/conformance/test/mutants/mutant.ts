import type { Coordinator, createCoordinator } from '@concordat/core';
import type { Backend, Driver, OpenOptions, Session } from '@concordat/core/spi';

/** Something broken on purpose, and the ids that have to notice. */
export interface Mutant {
  readonly name: string;
  readonly fails: readonly string[];
  driver(healthy: Driver): Driver;
  create(healthy: typeof createCoordinator): typeof createCoordinator;
}

/** A driver whose backends answer some calls wrongly. */
export function brokenBackend(
  name: string,
  fails: readonly string[],
  change: (backend: Backend, options: OpenOptions) => Partial<Backend>,
): Mutant {
  return {
    name,
    fails,
    create: (healthy) => healthy,
    driver: (healthy) => ({
      ...healthy,
      open: (options) => {
        const backend = healthy.open(options);
        return replaced(backend, change(backend, options));
      },
    }),
  };
}

/** A driver that reports something wrong to its session. */
export function brokenReports(
  name: string,
  fails: readonly string[],
  change: (session: Session, options: OpenOptions) => Partial<Session>,
): Mutant {
  return {
    name,
    fails,
    create: (healthy) => healthy,
    driver: (healthy) => ({
      ...healthy,
      open: (options) =>
        healthy.open({ ...options, session: replaced(options.session, change(options.session, options)) }),
    }),
  };
}

/** A healthy driver below a broken coordinator. */
export function brokenRecipe(
  name: string,
  fails: readonly string[],
  create: (healthy: typeof createCoordinator) => typeof createCoordinator,
): Mutant {
  return { name, fails, create, driver: (healthy) => healthy };
}

/** A coordinator with some of its members replaced. */
export function brokenCoordinator(
  name: string,
  fails: readonly string[],
  change: (coordinator: Coordinator) => Partial<Coordinator>,
): Mutant {
  return brokenRecipe(name, fails, (healthy) => (driver, options) => {
    const coordinator = healthy(driver, options);
    return replaced(coordinator, change(coordinator));
  });
}

/** The object with some of its members replaced; everything else is its own. */
export function replaced<T extends object>(original: T, members: Partial<T>): T {
  return new Proxy(original, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
