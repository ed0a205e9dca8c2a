import type { LineEvent } from '@concordat/core';
import type { Attributes, BatchObservableResult } from '@opentelemetry/api';
import { Contenders } from './contenders.js';
import type { Instruments } from './instruments.js';
import { causeOf, type Outcome, outcomeOf } from './outcome.js';

const lossCauses = ['session_lost', 'not_found'] as const;

/** Waiting, holding and losing, from the steps of contenders. */
export class LineMetrics {
  readonly #instruments: Instruments;
  readonly #base: Attributes;
  readonly #resource: ((event: LineEvent) => string | undefined) | undefined;
  readonly #series = new Map<string, Attributes>();
  readonly #waiting = new Contenders<Attributes>();
  readonly #holding = new Contenders<Attributes>();

  constructor(
    instruments: Instruments,
    base: Attributes,
    resource: ((event: LineEvent) => string | undefined) | undefined,
  ) {
    this.#instruments = instruments;
    this.#base = base;
    this.#resource = resource;
  }

  record(event: LineEvent): void {
    const series = this.#seriesOf(event);
    const { waiters, acquireDuration, holdDuration, grantsLost, requeues, watchesFired, cleanupFailures } =
      this.#instruments;
    switch (event.type) {
      case 'entry-created':
        this.#waiting.add(event, series);
        waiters.add(1, series);
        break;
      case 'watch-fired':
        watchesFired.add(1, series);
        break;
      case 'acquired':
        this.#waitsNoMore(event);
        this.#holding.add(event, series);
        this.#hold(series, 1);
        acquireDuration.record(event.waitedMs / 1_000, ended(series, { outcome: 'acquired' }));
        break;
      case 'gave-up':
        this.#waitsNoMore(event);
        acquireDuration.record(event.waitedMs / 1_000, ended(series, outcomeOf(event.reason)));
        break;
      case 'requeued':
        this.#waitsNoMore(event);
        requeues.add(1, series);
        break;
      case 'released':
        this.#waitsNoMore(event);
        this.#holdsNoMore(event);
        if (event.heldMs !== null) holdDuration.record(event.heldMs / 1_000, ended(series, { outcome: 'released' }));
        break;
      case 'grant-lost':
        this.#holdsNoMore(event);
        holdDuration.record(event.heldMs / 1_000, ended(series, { outcome: 'lost' }));
        grantsLost.add(1, { ...series, 'coordination.reason': causeOf(event.reason) });
        break;
      case 'cleanup-failed':
        cleanupFailures.add(1, series);
        break;
    }
  }

  /** A session of this epoch is open: nothing of an earlier one is left. */
  forgetBefore(epoch: number): void {
    for (const series of this.#waiting.takeBefore(epoch)) this.#instruments.waiters.add(-1, series);
    for (const series of this.#holding.takeBefore(epoch)) this.#hold(series, -1);
  }

  observe(result: BatchObservableResult): void {
    const now = performance.now();
    const oldest = new Map<Attributes, number>([...this.#series.values()].map((series) => [series, 0]));
    for (const { what, sinceMs } of this.#waiting) oldest.set(what, Math.max(oldest.get(what) ?? 0, now - sinceMs));
    for (const [series, ageMs] of oldest) result.observe(this.#instruments.oldestWaiter, ageMs / 1_000, series);
  }

  #waitsNoMore(event: LineEvent): void {
    const series = this.#waiting.take(event);
    if (series !== undefined) this.#instruments.waiters.add(-1, series);
  }

  #holdsNoMore(event: LineEvent): void {
    const series = this.#holding.take(event);
    if (series !== undefined) this.#hold(series, -1);
  }

  #hold(series: Attributes, change: 1 | -1): void {
    const { holders, leadership, leadershipTransitions } = this.#instruments;
    holders.add(change, series);
    if (series['coordination.primitive'] !== 'election') return;
    leadership.add(change, series);
    leadershipTransitions.add(1, { ...series, 'coordination.transition': change === 1 ? 'elected' : 'ended' });
  }

  #seriesOf(event: LineEvent): Attributes {
    const resource = this.#resource?.(event);
    const key = `${event.primitive} ${resource ?? ''}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series: Attributes = { ...this.#base, 'coordination.primitive': event.primitive };
    if (resource !== undefined) series['coordination.resource'] = resource;
    this.#series.set(key, series);
    this.#beginAtZero(series);
    return series;
  }

  // A series that begins with its first increment hides it: a rate needs the zero before.
  #beginAtZero(series: Attributes): void {
    const { waiters, holders, requeues, watchesFired, cleanupFailures, grantsLost, leadership } = this.#instruments;
    for (const instrument of [waiters, holders, requeues, watchesFired, cleanupFailures]) instrument.add(0, series);
    for (const cause of lossCauses) grantsLost.add(0, { ...series, 'coordination.reason': cause });
    if (series['coordination.primitive'] === 'election') leadership.add(0, series);
  }
}

function ended(series: Attributes, { outcome, errorType }: Outcome): Attributes {
  const attributes: Attributes = { ...series, 'coordination.outcome': outcome };
  if (errorType !== undefined) attributes['error.type'] = errorType;
  return attributes;
}
