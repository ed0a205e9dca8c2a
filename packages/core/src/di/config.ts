import type { DependencyContainer } from 'tsyringe';
import { type Coordinator, createCoordinator } from '../coordinator.js';
import { CoordinationError } from '../errors.js';
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
  if (typeof config === 'function') return checkMade(config(container));
  if (typeof config !== 'object' || (config as unknown) === null)
    throw invalid('a configuration is an object or a function');
  const { driver, ...options } = config;
  return createCoordinator(driver, options);
}

// A promise of one, say, which nobody could close with the container.
function checkMade(made: Coordinator): Coordinator {
  const { close } = (made as Partial<Coordinator> | null | undefined) ?? {};
  if (typeof close !== 'function') throw invalid('the function of a configuration must answer a coordinator at once');
  return made;
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
