import {
  CoordinationError,
  type Coordinator,
  type CoordinatorOptions,
  createCoordinator as createOnDriver,
  parseUrl,
} from '@concordat/core';
import { loadDriver, schemes } from './schemes.js';

/**
 * Opens a coordinator on the store that `url` names: `zookeeper://host:2181/namespace`, `etcd://host:2379/namespace`, `zookeepers://…` and `etcds://…`
 * for TLS, or `memory:name` for a store in this process. Synchronous: the driver is loaded and connects in the background.
 *
 * The URL may carry `sessionTimeout`, `requestTimeout`, `allowShortSession`, and for TLS `ca`, `cert`, `key` and `serverName`; options given here win over the URL.
 * A driver's package that is not installed rejects `ready()` and every call with `DRIVER_UNAVAILABLE`, naming it.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` for a wrong URL or option; messages never hold a password.
 *
 * @example
 * ```ts
 * import { createCoordinator } from 'concordat';
 *
 * const coordinator = createCoordinator('memory:docs');
 * await coordinator.lock('reports').with((grant) => console.log(`alone, with token ${grant.token}`));
 * await coordinator.close();
 * ```
 */
export function createCoordinator(url: string, options: CoordinatorOptions = {}): Coordinator {
  const parsed = parseUrl(url, schemes);
  const scheme = schemes[parsed.scheme];
  if (scheme === undefined) throw new CoordinationError('INVALID_ARGUMENT', `unknown scheme "${parsed.scheme}"`);
  return createOnDriver(() => loadDriver(parsed.scheme, scheme), merge(parsed.options, options));
}

/**
 * What a coordinator's URL says, as options: the same that {@link createCoordinator} reads from it.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`; the message never holds a password.
 */
export function readUrl(url: string): CoordinatorOptions {
  return parseUrl(url, schemes).options;
}

function merge(fromUrl: CoordinatorOptions, given: CoordinatorOptions): CoordinatorOptions {
  const driverOptions = { ...fromUrl.driverOptions, ...given.driverOptions };
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const tls = { ...fromUrl.tls, ...given.tls };
  return {
    ...fromUrl,
    ...defined,
    ...(Object.keys(driverOptions).length === 0 ? {} : { driverOptions }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
  };
}
