import type { Host } from '@concordat/core/spi';
import type { ServerControl } from '../harness.js';

/** A running server, wherever it came from. */
export interface Server {
  readonly host: Host;
  /** Where operators and probes get in, in the clear; the same unless clients have to come over TLS. */
  readonly door: Host;
  readonly control: ServerControl;
  /** Ends it if it was started here, and removes its data. */
  stop(): Promise<void>;
}
