import { mergeConfig } from 'vitest/config';
import { project } from '../../vitest.shared.js';

export default mergeConfig(project('driver-zk'), {
  test: {
    exclude: ['test/native/**'],
    provide: { driverOptions: {} },
    // Worker threads and processes of the tests run what is compiled.
    globalSetup: ['test/support/build.ts'],
  },
});
