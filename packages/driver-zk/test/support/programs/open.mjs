// As an application does it, on what is compiled.
import { createCoordinator } from '@concordat/core';
import { zookeeper } from '@concordat/driver-zk';

/** @param {{ port: number, driverOptions?: Record<string, string> }} options */
export function open({ port, driverOptions = {} }) {
  return createCoordinator(zookeeper, {
    hosts: [{ host: '127.0.0.1', port }],
    namespace: 'programs',
    sessionTimeoutMs: 3_000,
    allowShortSession: true,
    driverOptions,
  });
}
