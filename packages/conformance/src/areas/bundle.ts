import { area } from '../scenario.js';
import { bundlePublishing } from './bundle-publishing.js';
import { bundleStreams } from './bundle-streams.js';

/** Many settings at once: docs/spec/bundle.md. */
export const bundle = area('bundle', (scenario) => {
  bundlePublishing(scenario);
  bundleStreams(scenario);
});
