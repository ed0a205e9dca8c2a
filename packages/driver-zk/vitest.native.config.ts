import { mergeConfig } from 'vitest/config';
import { project } from '../../vitest.shared.js';

// What is written against the port, once more on npm `zookeeper`; needs it compiled: see scripts/test-native.mjs.
const both = ['child-processes', 'loading', 'registers', 'restores', 'session', 'watches'];

export default mergeConfig(
  project('driver-zk-native', [`test/{${both.join(',')}}.test.ts`, 'test/native/**/*.test.ts']),
  {
    test: {
      provide: { driverOptions: { transport: 'native' } },
      globalSetup: ['test/support/build.ts'],
    },
  },
);
