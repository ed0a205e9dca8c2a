import { type Bundle, CoordinationError, type Settings } from '@concordat/core';
import { map } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

/** Coordinators whose bundles are wrong. */
export const bundleMutants: readonly Mutant[] = [
  brokenBundle('a bundle that is published in halves', ['BUND-07'], (bundle) => ({
    publish: async (settings, options) => {
      const entries = entriesOf(settings);
      const before = (await bundle.get())?.value ?? new Map<string, string>();
      await bundle.publish(new Map([...before, ...entries.slice(0, entries.length / 2)]));
      return bundle.publish(settings, options);
    },
  })),
  brokenBundle('a bundle that is emptied first', ['BUND-07', 'BUND-08'], (bundle) => ({
    publish: async (settings, options) => {
      await bundle.publish({});
      return bundle.publish(settings, options);
    },
  })),
  brokenBundle('a bundle that adds to what is there', ['BUND-01'], (bundle) => ({
    publish: async (settings, options) => {
      const before = (await bundle.get())?.value ?? new Map<string, string>();
      return bundle.publish(new Map([...before, ...entriesOf(settings)]), options);
    },
  })),
  brokenBundle('a bundle that is published whatever is there', ['BUND-03'], (bundle) => ({
    publish: (settings) => bundle.publish(settings),
  })),
  brokenBundle('a bundle that is read when it is sent', ['BUND-14'], (bundle) => ({
    publish: async (settings, options) => {
      await Promise.resolve();
      return bundle.publish(settings, options);
    },
  })),
  brokenBundle('a publication that is tried again when its outcome is unknown', ['BUND-09'], (bundle) => ({
    publish: (settings, options) =>
      bundle.publish(settings, options).catch((reason: unknown) => {
        if (CoordinationError.is(reason, 'OUTCOME_UNKNOWN')) return bundle.publish(settings, options);
        throw reason;
      }),
  })),
  brokenBundle('a setting that is told with every change of another', ['BUND-10'], (bundle) => ({
    setting$: (key) => bundle.value$.pipe(map(({ settings }) => settings?.get(key))),
  })),
  brokenBundle('a setting that vanishes among foreign bytes', ['BUND-11'], (bundle) => ({
    setting$: (key) =>
      bundle.value$.pipe(map(({ settings, error }) => (error === null ? settings?.get(key) : undefined))),
  })),
  brokenStorage('a bundle that is an object on the way', ['BUND-04'], (members) =>
    Object.fromEntries(unsafely(members)),
  ),
  brokenStorage('a bundle in the order of an object', ['BUND-02'], (members) => Object.fromEntries(members)),
];

function brokenBundle(name: string, fails: readonly string[], change: (bundle: Bundle) => Partial<Bundle>): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    return {
      bundle: (of) => {
        const bundle = coordinator.bundle(of);
        return replaced(bundle, change(bundle));
      },
    };
  });
}

type Members = readonly (readonly [string, unknown])[];

function brokenStorage(name: string, fails: readonly string[], write: (members: Members) => object): Mutant {
  return brokenBackend(name, fails, (backend) => ({
    put: (key, value, options, call) => {
      if (!key.startsWith('bundle/')) return backend.put(key, value, options, call);
      const members = Object.entries(JSON.parse(new TextDecoder().decode(value)) as object);
      const written = new TextEncoder().encode(JSON.stringify(write(members)));
      return backend.put(key, written, options, call);
    },
  }));
}

function unsafely(members: Members): Members {
  return members.filter(([key]) => key !== '__proto__');
}

function entriesOf(settings: Settings | Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return settings instanceof Map ? [...(settings as Settings)] : Object.entries(settings);
}
