import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

function source(path: string): string {
  return fileURLToPath(new URL(`packages/${path}`, import.meta.url));
}

/** Tests run on the sources, without a build. */
export const aliases = [
  { find: '@concordat/core/spi', replacement: source('core/src/spi/index.ts') },
  { find: '@concordat/core/di', replacement: source('core/src/di/index.ts') },
  { find: '@concordat/core', replacement: source('core/src/index.ts') },
  { find: '@concordat/conformance/servers', replacement: source('conformance/src/servers/index.ts') },
  { find: '@concordat/conformance', replacement: source('conformance/src/index.ts') },
  { find: '@concordat/driver-memory', replacement: source('driver-memory/src/index.ts') },
  { find: '@concordat/driver-zk', replacement: source('driver-zk/src/index.ts') },
  { find: '@concordat/driver-etcd', replacement: source('driver-etcd/src/index.ts') },
  { find: '@concordat/telemetry', replacement: source('telemetry/src/index.ts') },
  { find: /^concordat$/, replacement: source('concordat/src/index.ts') },
];

/** One package as a vitest project. Forks: the native ZooKeeper client does not live in worker threads. */
export function project(name: string, include: readonly string[] = ['test/**/*.test.ts']) {
  return defineConfig({
    resolve: { alias: aliases },
    // Of the dialect that tsyringe is for; a test is outside of the tsconfig that says so.
    oxc: { decorator: { legacy: true } },
    test: {
      name,
      include: [...include],
      pool: 'forks',
      testTimeout: 30_000,
      hookTimeout: 60_000,
      retry: 0,
      // Scenarios mostly wait for a session to end: more at a time than processors.
      maxConcurrency: 10,
      // Deadlines are for a loaded machine; what is polled for is exact.
      expect: { poll: { timeout: 10_000 } },
    },
  });
}
