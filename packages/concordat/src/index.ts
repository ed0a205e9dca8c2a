// Everything of core, so that whoever depends on this package alone can name every type; its own `createCoordinator` stands before core's.
export * from '@concordat/core';
export { createCoordinator, readUrl } from './create-coordinator.js';
