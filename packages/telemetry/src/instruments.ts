// What OpenTelemetry calls observable is no stream.
/* eslint-disable rxjs-x/finnish */
import type { Meter } from '@opentelemetry/api';

// From one round trip to the longest sensible wait, in seconds.
const waits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const requests = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5];

/** Every instrument, by what it measures; docs/observability.md lists names, units and attributes. */
export type Instruments = ReturnType<typeof createInstruments>;

/** Units are outside the names, as OpenTelemetry has it: seconds, and counted things in braces. */
export function createInstruments(meter: Meter) {
  const seconds = (name: string, description: string, boundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: boundaries } });
  const age = (name: string, description: string) => meter.createObservableGauge(name, { unit: 's', description });
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const total = (name: string, unit: string, description: string) =>
    meter.createObservableCounter(name, { unit, description });
  const level = (name: string, unit: string, description: string) =>
    meter.createUpDownCounter(name, { unit, description });
  return {
    acquireDuration: seconds(
      'coordination.acquire.duration',
      'From the call until the grant, or the end without one',
      waits,
    ),
    holdDuration: seconds('coordination.hold.duration', 'From the grant until it was given back or lost', waits),
    operationDuration: seconds(
      'coordination.operation.duration',
      'Requests to the store, as recipes see them',
      requests,
    ),
    reconnectDuration: seconds(
      'coordination.session.reconnect.duration',
      'From leaving connected until connected again',
      waits,
    ),
    holders: level('coordination.holder.count', '{holder}', 'Grants held by this process'),
    waiters: level(
      'coordination.waiter.count',
      '{waiter}',
      'Contenders of this process that stand in a line, not granted yet',
    ),
    oldestWaiter: age('coordination.oldest_waiter.age', 'For how long the oldest of them stands there'),
    grantsLost: counter('coordination.grant.lost', '{grant}', 'Grants that were over without having been given back'),
    requeues: counter('coordination.requeue', '{requeue}', 'Places in a line that were lost before the grant'),
    watchesFired: counter('coordination.watch.fired', '{watch}', 'Waiters that were woken to look again'),
    cleanupFailures: counter('coordination.cleanup.failure', '{attempt}', 'Entries that could not be removed at once'),
    leadership: level('coordination.leadership', '{leader}', 'Elections that this process leads'),
    leadershipTransitions: counter(
      'coordination.leadership.transition',
      '{transition}',
      'Times that this process became leader, or ceased to be',
    ),
    sessions: level('coordination.session.count', '{session}', 'Sessions by state'),
    expirations: counter(
      'coordination.session.expiration',
      '{session}',
      'Sessions that were lost, by deadline or by word of the store',
    ),
    leaseMargin: age(
      'coordination.lease.margin',
      'Least time left until the session would have been given up, since the last collection',
    ),
    staleAge: age(
      'coordination.stale.age',
      'For how long the session is not connected, and what streams show may be out of date',
    ),
    eventLoopLag: age('coordination.event_loop.lag', 'Longest delay of a timer since the last collection'),
    eventLoopStalls: counter('coordination.event_loop.stall', '{stall}', 'Delays above a sixth of the session timeout'),
    requests: total('coordination.request.sent', '{request}', 'Requests sent, heartbeats left out'),
    heartbeats: total('coordination.heartbeat.sent', '{request}', 'Requests sent only to keep or prove the session'),
    notifications: total('coordination.watch.notification', '{notification}', 'Watch notifications received'),
    fenceRejections: counter(
      'coordination.fence.rejected',
      '{write}',
      'Writes of a former holder that a resource refused',
    ),
  };
}
