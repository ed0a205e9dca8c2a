import type { CoordinationEvent, Coordinator, LineEvent } from '@concordat/core';
import type { Attributes, BatchObservableResult, Meter } from '@opentelemetry/api';
import type { Subscription } from 'rxjs';
import { createInstruments, type Instruments } from './instruments.js';
import { LineMetrics } from './line-metrics.js';
import { Pulse } from './pulse.js';
import { SessionMetrics } from './session-metrics.js';

/** All metrics of one coordinator. */
export class CoordinatorMetrics {
  readonly #instruments: Instruments;
  readonly #base: Attributes;
  readonly #lines: LineMetrics;
  readonly #session: SessionMetrics;
  readonly #pulse: Pulse;
  readonly #states: Subscription;
  readonly #stopObserving: () => void;

  constructor(
    meter: Meter,
    coordinator: Pick<Coordinator, 'session$' | 'traffic' | 'safeUntil'>,
    base: Attributes,
    resource: ((event: LineEvent) => string | undefined) | undefined,
  ) {
    const instruments = createInstruments(meter);
    this.#instruments = instruments;
    this.#base = base;
    const { eventLoopStalls, fenceRejections } = instruments;
    for (const instrument of [eventLoopStalls, fenceRejections]) instrument.add(0, base);
    this.#pulse = new Pulse(coordinator, () => eventLoopStalls.add(1, base));
    this.#lines = new LineMetrics(instruments, base, resource);
    this.#session = new SessionMetrics(instruments, base, coordinator, this.#pulse);
    this.#states = coordinator.session$.subscribe((state) => {
      this.#session.move(state);
      this.#pulse.timeoutMs = state.timeoutMs;
      if (state.state === 'connected') this.#lines.forgetBefore(state.epoch);
    });
    this.#stopObserving = this.#observe(meter);
  }

  record(event: CoordinationEvent): void {
    if (event.type === 'request') this.#session.record(event);
    else if ('primitive' in event) this.#lines.record(event);
  }

  fenceRejected(resource: string | undefined): void {
    const attributes = resource === undefined ? this.#base : { ...this.#base, 'coordination.resource': resource };
    this.#instruments.fenceRejections.add(1, attributes);
  }

  stop(): void {
    this.#states.unsubscribe();
    this.#stopObserving();
    this.#pulse.stop();
    this.#session.stop();
    this.#lines.forgetBefore(Number.POSITIVE_INFINITY);
  }

  #observe(meter: Meter): () => void {
    const { oldestWaiter, requests, heartbeats, notifications, staleAge, leaseMargin, eventLoopLag } =
      this.#instruments;
    const observed = [oldestWaiter, requests, heartbeats, notifications, staleAge, leaseMargin, eventLoopLag];
    const observe = (result: BatchObservableResult): void => {
      this.#lines.observe(result);
      this.#session.observe(result);
    };
    meter.addBatchObservableCallback(observe, observed);
    return () => meter.removeBatchObservableCallback(observe, observed);
  }
}
