import type { InjectionToken } from 'tsyringe';
import type { Coordinator } from '../coordinator.js';
import type { CoordinatorConfig } from './config.js';

/**
 * The coordinator of a container, for `@inject(COORDINATOR)`; see `registerCoordinator`. A symbol of the global registry: two copies of
 * this package in one process mean the same.
 */
export const COORDINATOR: InjectionToken<Coordinator> = Symbol.for('@concordat/core/COORDINATOR');

/** What the coordinator of a container is made from, for whoever wants to show it. */
export const COORDINATOR_CONFIG: InjectionToken<CoordinatorConfig> = Symbol.for('@concordat/core/COORDINATOR_CONFIG');
