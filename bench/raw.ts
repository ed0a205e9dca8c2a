import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The bare client of a store, below any driver: what a lock cycle is compared with. */
export interface Raw {
  /** Creates an entry that dies with the session; answers what {@link Raw.remove} needs. */
  create(): Promise<string>;
  remove(entry: string): Promise<void>;
  close(): Promise<void>;
}

/** Loads from where a driver would: the very same copy of the client package. */
export function requireFrom(driverPackage: string): NodeJS.Require {
  return createRequire(fileURLToPath(import.meta.resolve(driverPackage)));
}
