import { type Config, type ConfigState, CoordinationError, type Coordinator } from '@concordat/core';
import { Call, systemClock } from '@concordat/core/spi';
import { catchError, concatMap, EMPTY, filter, map, scan, tap } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

/** Coordinators whose config values are wrong. */
export const configMutants: readonly Mutant[] = [
  brokenConfig('a config whose missing version overwrites', ['CONF-05'], (config) => ({
    set: (value, { expect, ...options } = {}) =>
      config.set(value, expect === undefined ? options : { ...options, expect }),
  })),
  brokenConfig('a config that takes version 0 for anything', ['CONF-02', 'CONF-04'], (config) => ({
    set: (value, options = {}) => config.set(value, options.expect === 0n ? { ...options, expect: 'any' } : options),
    delete: ({ expect, ...options } = {}) =>
      config.delete(expect === 0n || expect === undefined ? options : { ...options, expect }),
  })),
  brokenConfig('a failed read that is told as absence', ['CONF-08', 'CONF-15'], (config) => ({
    get: (options) => config.get(options).catch(() => undefined),
  })),
  brokenConfig('a write that is tried again when its outcome is unknown', ['CONF-12'], (config) => ({
    set: (value, options) =>
      config.set(value, options).catch((reason: unknown) => {
        if (CoordinationError.is(reason, 'OUTCOME_UNKNOWN')) return config.set(value);
        throw reason;
      }),
  })),
  brokenConfig('an update that goes on when its outcome is unknown', ['CONF-24'], (config) => ({
    update: (change, options) =>
      config.update(change, options).catch((reason: unknown) => {
        if (CoordinationError.is(reason, 'OUTCOME_UNKNOWN')) return config.update(change, options);
        throw reason;
      }),
  })),
  brokenConfig('an update that only reads and writes', ['CONF-20', 'CONF-22', 'CONF-25'], (config) => ({
    update: async (change) => {
      const value = await change((await config.get())?.value);
      return { value, version: await config.set(value) };
    },
  })),
  brokenConfig('a deletion that says nothing', ['CONF-04'], (config) => ({
    delete: async (options) => {
      await config.delete(options);
      return true;
    },
  })),
  brokenConfig('a stream that hides an outage', ['CONF-32', 'CONF-35'], (config) => ({
    value$: config.value$.pipe(filter(({ stale }) => !stale)),
  })),
  brokenConfig('a stream that forgets what it showed', ['CONF-32', 'CONF-35'], (config) => ({
    value$: config.value$.pipe(
      map((state) => (state.stale ? { ...state, value: undefined, version: undefined } : state)),
    ),
  })),
  brokenConfig('a codec failure that ends the stream', ['CONF-34'], (config) => ({
    value$: config.value$.pipe(
      map((state) => {
        if (state.error !== null) throw state.error;
        return state;
      }),
      catchError(() => EMPTY),
    ),
  })),
  brokenCoordinator('keys with what lies below them', ['CONF-40'], (coordinator) => ({
    configKeys: async (prefix, options) => [...(await coordinator.configKeys(prefix, options)), 'dir/b'],
  })),
  brokenConfig('a config that does not listen', ['CONF-13', 'CONF-25'], (config) => ({
    set: (value) => config.set(value),
    update: (change) => config.update(change),
  })),
  brokenConfig('a stream that goes back', ['CONF-30', 'CONF-31'], (config) => ({
    value$: config.value$.pipe(
      scan((last: readonly ConfigState<unknown>[], state) => [state, ...last.slice(0, 1)], []),
      concatMap((states) => states),
    ),
  })),
  brokenBackend('a watch that reads everything at each change', ['CONF-51'], (backend) => ({
    watch: (key) =>
      backend.watch(key).pipe(
        tap(() => {
          for (let reads = 0; reads < 5; reads += 1)
            backend.get(key, 'session', new Call(systemClock.now() + 1_000)).catch(() => undefined);
        }),
      ),
  })),
];

function brokenConfig(
  name: string,
  fails: readonly string[],
  change: (config: Config<unknown>) => Partial<Config<unknown>>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => ({
    config: ((path: string, codec: never) => {
      const config: Config<unknown> = coordinator.config(path, codec);
      return replaced(config, change(config));
    }) as Coordinator['config'],
  }));
}
