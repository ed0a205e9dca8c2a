import type { DependencyContainer } from 'tsyringe';
import { type Coordinator, createCoordinator } from '../coordinator.js';
import type { CoordinatorOptions } from '../options.js';
import type { Driver } from '../spi/driver.js';

/** A driver, or what loads one on first use, with the options of `createCoordinator`. */
export interface DriverConfig extends CoordinatorOptions {
  /** The driver of the store, or what loads it. */
  readonly driver: Driver | (() => Promise<Driver>);
}

/** Makes the coordinator; called once for each container, with that container, when the coordinator is first resolved. */
export type CoordinatorFactory = (container: DependencyContainer) => Coordinator;

/** What a coordinator is made from: a driver with options, or a function, such as one that reads a URL from the environment. */
export type CoordinatorConfig = DriverConfig | CoordinatorFactory;

export function coordinatorOf(config: CoordinatorConfig, container: DependencyContainer): Coordinator {
  if (typeof config === 'function') return config(container);
  const { driver, ...options } = config;
  return createCoordinator(driver, options);
}
