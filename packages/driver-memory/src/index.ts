export { memory } from './driver.js';
export type { ClientEnd, Connection } from './store/connection.js';
export { type Deliver, deliverSoon, type Toward } from './store/deliver.js';
export type { LinkCounts, MemoryLink } from './store/memory-link.js';
export { MemoryStore, type MemoryStoreOptions } from './store/memory-store.js';
