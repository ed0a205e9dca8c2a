import type { Host } from '@concordat/core/spi';
import type { ServerControl } from '../harness.js';

/** A copy of a server's data. */
export interface Backup {
  /** Kills the server, puts the copy in the place of its data, and starts it on the same address. Resolves when it serves. */
  restore(): Promise<void>;
}

/** A running server, wherever it came from. */
export interface Server {
  readonly host: Host;
  /** Where operators and probes get in, in the clear; the same unless clients have to come over TLS. */
  readonly door: Host;
  readonly control: ServerControl;
  /** Copies its data as it is at one moment, while its connections stand. */
  backUp(): Promise<Backup>;
  /** Ends it if it was started here, and removes its data. */
  stop(): Promise<void>;
}
