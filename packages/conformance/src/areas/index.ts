import type { Area } from '../scenario.js';
import { cancel } from './cancel.js';
import { close } from './close.js';
import { entries } from './entries.js';
import { entriesGone } from './entries-gone.js';
import { entriesUnderFaults } from './entries-under-faults.js';
import { errors } from './errors.js';
import { lifecycle } from './lifecycle.js';
import { lock } from './lock.js';
import { lockCosts } from './lock-costs.js';
import { lockLoss } from './lock-loss.js';
import { lockRelease } from './lock-release.js';
import { lockStreams } from './lock-streams.js';
import { lossOrder } from './loss-order.js';
import { registers } from './registers.js';
import { serverFaults } from './server-faults.js';
import { watches } from './watches.js';
import { watchesUnderFaults } from './watches-under-faults.js';

/** The whole suite, in the order in which it is easiest to read what broke. */
export const areas: readonly Area[] = [
  lifecycle,
  registers,
  watches,
  watchesUnderFaults,
  entries,
  entriesGone,
  entriesUnderFaults,
  lock,
  lockRelease,
  lockStreams,
  lockCosts,
  lockLoss,
  lossOrder,
  serverFaults,
  cancel,
  close,
  errors,
];
