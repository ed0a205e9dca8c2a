import type { Area } from '../scenario.js';
import { barrier } from './barrier.js';
import { barrierFaults } from './barrier-faults.js';
import { bundle } from './bundle.js';
import { cancel } from './cancel.js';
import { close } from './close.js';
import { config } from './config.js';
import { doubleBarrier } from './double-barrier.js';
import { doubleBarrierFaults } from './double-barrier-faults.js';
import { election } from './election.js';
import { electionCosts } from './election-costs.js';
import { electionFaults } from './election-faults.js';
import { electionLeader } from './election-leader.js';
import { electionLoss } from './election-loss.js';
import { electionResign } from './election-resign.js';
import { electionWork } from './election-work.js';
import { entries } from './entries.js';
import { entriesGone } from './entries-gone.js';
import { entriesUnderFaults } from './entries-under-faults.js';
import { errors } from './errors.js';
import { events } from './events.js';
import { group } from './group.js';
import { groupMoments } from './group-moments.js';
import { handOver } from './hand-over.js';
import { idempotency } from './idempotency.js';
import { idempotencyFaults } from './idempotency-faults.js';
import { idempotencyKeeping } from './idempotency-keeping.js';
import { idempotencyReplies } from './idempotency-replies.js';
import { insideHandlers } from './inside-handlers.js';
import { lifecycle } from './lifecycle.js';
import { lock } from './lock.js';
import { lockCosts } from './lock-costs.js';
import { lockLoss } from './lock-loss.js';
import { lockRelease } from './lock-release.js';
import { lockStreams } from './lock-streams.js';
import { lossOrder } from './loss-order.js';
import { readWriteLock } from './read-write-lock.js';
import { readWriteLockLoss } from './read-write-lock-loss.js';
import { reconnections } from './reconnections.js';
import { registers } from './registers.js';
import { rendezvous } from './rendezvous.js';
import { rendezvousFaults } from './rendezvous-faults.js';
import { restores } from './restores.js';
import { semaphore } from './semaphore.js';
import { semaphoreCosts } from './semaphore-costs.js';
import { semaphoreFaults } from './semaphore-faults.js';
import { serverFaults } from './server-faults.js';
import { streams } from './streams.js';
import { together } from './together.js';
import { wallClock } from './wall-clock.js';
import { watchHistories } from './watch-histories.js';
import { watches } from './watches.js';
import { watchesUnderFaults } from './watches-under-faults.js';

/** The whole suite, in the order in which it is easiest to read what broke. */
export const areas: readonly Area[] = [
  lifecycle,
  reconnections,
  wallClock,
  registers,
  watches,
  watchesUnderFaults,
  watchHistories,
  entries,
  entriesGone,
  entriesUnderFaults,
  lock,
  lockRelease,
  lockStreams,
  lockCosts,
  handOver,
  lockLoss,
  lossOrder,
  insideHandlers,
  serverFaults,
  restores,
  readWriteLock,
  readWriteLockLoss,
  semaphore,
  semaphoreFaults,
  semaphoreCosts,
  election,
  electionLeader,
  electionCosts,
  electionWork,
  electionResign,
  electionLoss,
  electionFaults,
  group,
  groupMoments,
  config,
  bundle,
  barrier,
  barrierFaults,
  doubleBarrier,
  doubleBarrierFaults,
  rendezvous,
  rendezvousFaults,
  idempotency,
  idempotencyFaults,
  idempotencyReplies,
  idempotencyKeeping,
  together,
  streams,
  events,
  cancel,
  close,
  errors,
];
