// DESIGN: which room may import what. tsc and pnpm's strict node_modules catch what is not declared at all.
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(etcd3|zookeeper|testcontainers)' },
    },
    {
      name: 'core-depends-on-rxjs-only',
      severity: 'error',
      from: { path: '^packages/core/src', pathNot: ['^packages/core/src/di/', '^packages/core/src/spi/tls\\.ts$'] },
      to: { pathNot: ['^packages/core/src/(?!di/)', 'node_modules/(\\.pnpm/)?rxjs', '^(node:)?(os|crypto|util)$'] },
    },
    {
      name: 'certificates-come-from-files',
      severity: 'error',
      from: { path: '^packages/core/src/spi/tls\\.ts$' },
      to: { pathNot: ['^packages/core/src/', '^(node:)?(crypto|fs|tls)$'] },
    },
    {
      name: 'di-alone-knows-tsyringe-and-only-its-types',
      severity: 'error',
      from: { path: '^packages/[^/]+/src', pathNot: '^packages/conformance/src/servers/authority' },
      to: { path: 'node_modules/(\\.pnpm/)?(tsyringe|reflect-metadata)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'di-depends-on-core-and-tsyringe-only',
      severity: 'error',
      from: { path: '^packages/core/src/di/' },
      to: { pathNot: ['^packages/core/src', 'node_modules/(\\.pnpm/)?tsyringe'] },
    },
    {
      name: 'telemetry-knows-core-only',
      severity: 'error',
      from: { path: '^packages/telemetry/src' },
      to: {
        pathNot: ['^packages/telemetry/src', '^packages/core/', 'node_modules/(\\.pnpm/)?(rxjs|@opentelemetry[+/]api)'],
      },
    },
    {
      name: 'telemetry-alone-knows-opentelemetry',
      severity: 'error',
      from: { path: '^(packages|examples|bench)/', pathNot: '^packages/telemetry/' },
      to: { path: 'node_modules/(\\.pnpm/)?@opentelemetry' },
    },
    {
      name: 'contract-knows-no-recipe',
      severity: 'error',
      from: { path: '^packages/core/src/spi' },
      to: { path: '^packages/core/src/(?!spi/|errors|session-state)' },
    },
    {
      name: 'drivers-know-core-only',
      severity: 'error',
      from: { path: '^packages/driver-([^/]+)/src' },
      to: { path: '^packages/(?!core/|driver-$1/)' },
    },
    {
      name: 'one-file-touches-the-client',
      severity: 'error',
      from: {
        path: '^packages',
        pathNot: '^packages/driver-etcd/src/transport\\.ts$|^packages/driver-zk/src/native/[a-z-]+\\.ts$|/test/',
      },
      to: { path: 'node_modules/(\\.pnpm/)?(etcd3|zookeeper|@grpc)' },
    },
    {
      name: 'conformance-knows-core-only',
      severity: 'error',
      from: { path: '^packages/conformance/src' },
      to: { path: '^packages/(?!core/|conformance/)' },
    },
    {
      name: 'servers-know-no-recipe',
      severity: 'error',
      from: { path: '^packages/conformance/src/servers' },
      to: { path: '^packages/conformance/src/areas' },
    },
    {
      name: 'only-public-entries',
      severity: 'error',
      from: { path: '^(packages/[^/]+|examples|bench)/' },
      to: {
        path: '^packages/[^/]+/(src|dist)/',
        pathNot: ['^$1/', '/(src|dist)/(spi/|di/|servers/)?index\\.(ts|js|d\\.ts)$'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|(^|/)dist/' },
    exclude: { path: '(^|/)coverage/|vitest\\.' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
};
