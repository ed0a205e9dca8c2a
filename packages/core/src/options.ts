import type { Clock } from './spi/clock.js';
import type { Host } from './spi/driver.js';
import type { TlsOptions } from './spi/tls.js';

/** How a coordinator reaches its store, and for how long a silent one stays in the line. */
export interface CoordinatorOptions {
  /** Servers, as `host:port` or in parts; one of them is enough to start. */
  readonly hosts?: readonly (string | Host)[];
  /** Prefix of everything this coordinator writes, segments joined by `/`. Default `concordat`. */
  readonly namespace?: string;
  /** Session timeout asked for, in milliseconds. Default 12,000; at most 600,000; under 6,000 only with `allowShortSession`. */
  readonly sessionTimeoutMs?: number;
  /** Accepts session timeouts from 1,000 ms on: for tests, since any pause of the process then loses the session. */
  readonly allowShortSession?: boolean;
  /** Limit of one request, in milliseconds. Default min(5,000, a third of the session timeout), and never more than that third. */
  readonly requestTimeoutMs?: number;
  /** User and password for the store; never part of a message or an event, nor of a coordinator that is inspected. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Uses TLS. */
  readonly secure?: boolean;
  /** What to trust and whom to be over TLS. Default: the authorities that Node.js trusts, and nobody in particular. */
  readonly tls?: TlsOptions;
  /** Which in-process store a memory backend opens. */
  readonly storeName?: string;
  /** Elapsed time; for tests. Default: the clock of this process. */
  readonly clock?: Clock;
  /** Options only this driver has, by name. */
  readonly driverOptions?: Readonly<Record<string, string>>;
}
