import { type Driver, specVersion } from '@concordat/core/spi';
import { MemoryBackend } from './backend.js';
import { MemoryStore } from './store/memory-store.js';
import { maxValueBytes, sessionFloorMs } from './store/service.js';

/**
 * The reference backend: `memory:[name]` is one store of this process for every coordinator that names it, and gone with the
 * process. It expires sessions by the clock of the coordinator that opened it first, unless it was made with a clock of its own.
 *
 * @example
 * ```ts
 * import { createCoordinator } from '@concordat/core';
 * import { memory } from '@concordat/driver-memory';
 *
 * const coordinator = createCoordinator(memory, { storeName: 'orders' });
 * ```
 */
export const memory: Driver = {
  schemes: ['memory'],
  specVersion,
  options: [],
  capabilities: { tokenSource: 'counter', clockSource: 'injected', maxValueBytes, sessionFloorMs },
  open: (options) => new MemoryBackend(options, MemoryStore.linkTo(options.storeName, { clock: options.clock })),
};
