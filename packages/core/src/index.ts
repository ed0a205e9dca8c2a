export { bytes, type Codec, json, jsonOf, text } from './codecs.js';
export { type Coordinator, createCoordinator } from './coordinator.js';
export { parseDuration } from './duration.js';
export { CoordinationError, type CoordinationErrorCode } from './errors.js';
export type {
  AcquiredEvent,
  CleanupFailedEvent,
  CoordinationEvent,
  EntryCreatedEvent,
  GaveUpEvent,
  GrantLostEvent,
  LineEvent,
  ReleasedEvent,
  RequestEvent,
  RequeuedEvent,
  SessionEvent,
  WatchFiredEvent,
} from './events.js';
export * as fencing from './fencing.js';
export type { WaitOptions } from './limits.js';
export type { AcquireOptions } from './lines/acquire-options.js';
export type { Grant } from './lines/grant.js';
export type { Contender, WaitingLine } from './lines/waiting-line.js';
export type { CoordinatorOptions } from './options.js';
export type { Barrier } from './recipes/barrier.js';
export type { Bundle, BundleState, Settings } from './recipes/bundle.js';
export type {
  Config,
  ConfigState,
  DeletionOptions,
  Expected,
  ReadOptions,
  Versioned,
  WriteOptions,
} from './recipes/config.js';
export type { DoubleBarrier } from './recipes/double-barrier.js';
export type { Campaign, CampaignOptions, Election, Leader } from './recipes/election.js';
export type { Group, Member, MemberChange, Members, Membership, MembershipState } from './recipes/group.js';
export type { Idempotency, RunOptions } from './recipes/idempotency.js';
export type { Lock } from './recipes/lock.js';
export type { ReadWriteLock } from './recipes/read-write-lock.js';
export type { Publication, Rendezvous } from './recipes/rendezvous.js';
export type { Semaphore } from './recipes/semaphore.js';
export type { SessionPhase, SessionState } from './session-state.js';
export type { TlsOptions } from './spi/tls.js';
export { type ParsedUrl, parseUrl, redactUrl, type UrlScheme } from './url.js';
