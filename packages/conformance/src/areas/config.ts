import { area } from '../scenario.js';
import { configCosts } from './config-costs.js';
import { configRefusals } from './config-refusals.js';
import { configStreams } from './config-streams.js';
import { configUpdates } from './config-updates.js';
import { configValues } from './config-values.js';

/** Single values that everybody agrees on: docs/spec/config.md. */
export const config = area('config', (scenario) => {
  configValues(scenario);
  configRefusals(scenario);
  configUpdates(scenario);
  configStreams(scenario);
  configCosts(scenario);
});
