import { CoordinationError, type UrlScheme } from '@concordat/core';
import type { Driver } from '@concordat/core/spi';

/** One URL scheme, and where its driver comes from. */
export interface Scheme extends UrlScheme {
  /** Package that brings the driver. */
  readonly packageName: string;
  load(): Promise<Driver>;
}

const etcd = {
  defaultPort: 2379,
  options: [],
  packageName: '@concordat/driver-etcd',
  load: async (): Promise<Driver> => (await import('@concordat/driver-etcd')).etcd,
};
const zookeeper = {
  options: ['transport', 'auth', 'acl'],
  packageName: '@concordat/driver-zk',
  load: async (): Promise<Driver> => (await import('@concordat/driver-zk')).zookeeper,
};

/** What a coordinator's URL may start with. */
export const schemes: Readonly<Record<string, Scheme>> = {
  zookeeper: { ...zookeeper, defaultPort: 2181, secure: false },
  zookeepers: { ...zookeeper, defaultPort: 2281, secure: true },
  etcd: { ...etcd, secure: false },
  etcds: { ...etcd, secure: true },
  memory: {
    defaultPort: null,
    secure: false,
    options: [],
    packageName: '@concordat/driver-memory',
    load: async () => (await import('@concordat/driver-memory')).memory,
  },
};

/**
 * Loads the driver of a scheme.
 *
 * @throws {CoordinationError} `DRIVER_UNAVAILABLE`; the message names the package to install.
 */
export async function loadDriver(name: string, scheme: Scheme): Promise<Driver> {
  const { packageName } = scheme;
  try {
    return await scheme.load();
  } catch (cause) {
    if (CoordinationError.is(cause)) throw cause;
    const message = isMissing(cause, packageName)
      ? `${name}: needs a package that is not installed: npm install ${packageName}`
      : `${name}: needs ${packageName}, which is installed but could not be loaded`;
    throw new CoordinationError('DRIVER_UNAVAILABLE', message, { cause });
  }
}

// The same code is raised when one of the package's own dependencies is missing: that is another remedy.
function isMissing(error: unknown, packageName: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return false;
  return error.message.startsWith(`Cannot find package '${packageName}'`);
}
