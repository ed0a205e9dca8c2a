import type { AcquiredEvent, GaveUpEvent, LineEvent } from '@concordat/core';
import { type Attributes, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { Contenders } from './contenders.js';
import { causeOf, outcomeOf } from './outcome.js';

/**
 * One span for each wait and one for each hold, below the span that was active where the grant was given. Made from events: a wait is
 * drawn when it is over, from its beginning on.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #base: Attributes;
  readonly #holding = new Contenders<Span>();

  constructor(tracer: Tracer, base: Attributes) {
    this.#tracer = tracer;
    this.#base = base;
  }

  record(event: LineEvent): void {
    switch (event.type) {
      case 'acquired':
        this.#wait(event, 'acquired').end(wallClock(event.atMs));
        this.#holding.add(event, this.#begin(`hold ${event.primitive}`, event, event.atMs));
        break;
      case 'gave-up':
        this.#gaveUp(event);
        break;
      case 'released':
        this.#end(event, 'released');
        break;
      case 'grant-lost':
        this.#end(event, 'lost', causeOf(event.reason));
        break;
    }
  }

  /** Ends what is open: nobody will tell its end. */
  stop(): void {
    for (const { what } of this.#holding) what.end();
  }

  #gaveUp(event: GaveUpEvent): void {
    const { outcome, errorType } = outcomeOf(event.reason);
    const span = this.#wait(event, outcome);
    if (errorType !== undefined) fail(span, errorType);
    else if (outcome === 'timeout') fail(span, 'TIMEOUT');
    span.end(wallClock(event.atMs));
  }

  #wait(event: AcquiredEvent | GaveUpEvent, outcome: string): Span {
    const span = this.#begin(`acquire ${event.primitive}`, event, event.atMs - event.waitedMs);
    return span.setAttribute('coordination.outcome', outcome);
  }

  #end(event: LineEvent, outcome: string, errorType?: string): void {
    const span = this.#holding.take(event);
    if (span === undefined) return;
    span.setAttribute('coordination.outcome', outcome);
    if (errorType !== undefined) fail(span, errorType.toUpperCase());
    span.end(wallClock(event.atMs));
  }

  #begin(name: string, event: LineEvent, atMs: number): Span {
    const attributes: Attributes = {
      ...this.#base,
      'coordination.primitive': event.primitive,
      'coordination.name': event.name,
      'coordination.session.epoch': event.epoch,
    };
    if (event.session !== null) attributes['coordination.session.id'] = event.session;
    if (event.entry !== null) attributes['coordination.entry'] = event.entry;
    if (event.token !== null) attributes['coordination.token'] = String(event.token);
    return this.#tracer.startSpan(name, { startTime: wallClock(atMs), attributes });
  }
}

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR, message: errorType });
}

// Spans of others are on the wall clock, and its distance from the monotonic one changes.
function wallClock(atMs: number): number {
  return Date.now() - (performance.now() - atMs);
}
