import type { LineEvent } from '@concordat/core';
import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api';

/** What to measure of a coordinator, and how to call it. */
export interface InstrumentOptions {
  /**
   * Added to every metric and span, such as `{ 'coordination.backend': 'etcd' }`. Keep them few and bounded: each combination is a
   * series of its own. Default: none.
   */
  readonly attributes?: Attributes;
  /**
   * The `coordination.resource` of a metric: what the name of a lock, an election … is counted under. Without it metrics are counted by primitive only, since names
   * are often unbounded. Answer `undefined` to leave one out, and something normalised where names hold ids: `name.replace(/\d+/g, '*')`.
   */
  readonly resource?: (event: LineEvent) => string | undefined;
  /** Default: true. Spans hold full names, entries and tokens. */
  readonly spans?: boolean;
  /** Default: the global one, as it is when `instrument` is called. */
  readonly meterProvider?: MeterProvider;
  /** Default: the global one, as it is when `instrument` is called. */
  readonly tracerProvider?: TracerProvider;
}
