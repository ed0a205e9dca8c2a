export type { CoordinatorConfig, CoordinatorFactory, DriverConfig } from './config.js';
export { registerCoordinator } from './register-coordinator.js';
export { COORDINATOR, COORDINATOR_CONFIG } from './tokens.js';
