import type { CoordinationEvent, Coordinator } from '@concordat/core';
import { type Attributes, createNoopMeter, diag, metrics, ProxyTracer, trace } from '@opentelemetry/api';
import { CoordinatorMetrics } from './coordinator-metrics.js';
import { giveBack, takeNumber } from './numbers.js';
import type { InstrumentOptions } from './options.js';
import { scope } from './scope.js';
import { Spans } from './spans.js';

/** What measures a coordinator, until it is stopped or the coordinator is closed. */
export interface Instrumentation {
  /**
   * Counts a write that a resource refused because its token was too low, as `coordination.fence.rejected`: only the resource knows. Each one is
   * a holder that acted after its time.
   *
   * @param resource what the write was for, if that is bounded.
   */
  fenceRejected(resource?: string): void;
  /** Measures nothing any more, and ends the spans that are open. Idempotent. */
  stop(): void;
  [Symbol.dispose](): void;
}

/**
 * Measures a coordinator with OpenTelemetry: metrics from `events$`, `session$` and `traffic`, a span for each wait and for each hold.
 * docs/observability.md lists them.
 *
 * Register the SDK first: a global provider that comes later is not waited for, as everywhere in OpenTelemetry's metrics; a warning says so through `diag`. Without one
 * nothing is subscribed, and nothing costs anything. Ends by itself when the coordinator is closed. Never throws into the coordinator's own work.
 * Several coordinators of a process are told apart by `coordination.coordinator`: 1, 2, …
 *
 * @example
 * ```ts
 * import { instrument } from '@concordat/telemetry';
 * import type { Coordinator } from '@concordat/core';
 *
 * function observe(coordinator: Coordinator): Disposable {
 *   return instrument(coordinator, {
 *     attributes: { 'coordination.backend': 'etcd' },
 *     resource: ({ name }) => name.replace(/\d+/g, '*'),
 *   });
 * }
 * ```
 */
export function instrument(
  coordinator: Pick<Coordinator, 'events$' | 'session$' | 'traffic' | 'safeUntil'>,
  options: InstrumentOptions = {},
): Instrumentation {
  const meter = (options.meterProvider ?? metrics).getMeter(scope.name, scope.version);
  const tracer = (options.tracerProvider ?? trace).getTracer(scope.name, scope.version);
  const measured = meter !== createNoopMeter();
  const traced = options.spans !== false && !(tracer instanceof ProxyTracer);
  if (!measured) diag.warn(`${scope.name}: no metrics SDK is registered; register it before instrument()`);
  const number = takeNumber();
  const base: Attributes = { 'coordination.coordinator': number, ...options.attributes };
  const recorded = measured ? new CoordinatorMetrics(meter, coordinator, base, options.resource) : null;
  const spans = traced ? new Spans(tracer, base) : null;
  let stopped = false;
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    subscription?.unsubscribe();
    recorded?.stop();
    spans?.stop();
    giveBack(number);
  };
  const record = (event: CoordinationEvent): void => {
    try {
      recorded?.record(event);
      if (spans !== null && 'primitive' in event) spans.record(event);
    } catch (error) {
      diag.error(`${scope.name}: an event was not recorded`, error);
    }
  };
  // A coordinator that is closed already completes while it is being subscribed.
  const subscription =
    recorded === null && spans === null
      ? null
      : coordinator.events$.subscribe({ next: record, complete: () => queueMicrotask(stop) });
  return {
    fenceRejected: (resource) => recorded?.fenceRejected(resource),
    stop,
    [Symbol.dispose]: stop,
  };
}
