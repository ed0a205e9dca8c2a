import type { AcquiredEvent, GaveUpEvent, LineEvent } from '@concordat/core';
import { type Attributes, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { Contenders } from './contenders.js';
import { causeOf, outcomeOf } from './outcome.js';

// Spans of others are on the wall clock, whose distance from the monotonic one changes: looked at once for each span, or it would last that much longer.
interface Drawn {
  readonly span: Span;
  /** Zero of `performance.now()` on the wall clock. */
  readonly originMs: number;
}

/**
 * One span for each wait and one for each hold, below the span that was active where the grant was given. Made from events: a wait is
 * drawn when it is over, from its beginning on.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #base: Attributes;
  readonly #holding = new Contenders<Drawn>();

  constructor(tracer: Tracer, base: Attributes) {
    this.#tracer = tracer;
    this.#base = base;
  }

  record(event: LineEvent): void {
    switch (event.type) {
      case 'acquired':
        end(this.#wait(event, 'acquired'), event);
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
    for (const { what } of this.#holding) what.span.end();
  }

  #gaveUp(event: GaveUpEvent): void {
    const { outcome, errorType } = outcomeOf(event.reason);
    const wait = this.#wait(event, outcome);
    if (errorType !== undefined) fail(wait.span, errorType);
    else if (outcome === 'timeout') fail(wait.span, 'TIMEOUT');
    end(wait, event);
  }

  #wait(event: AcquiredEvent | GaveUpEvent, outcome: string): Drawn {
    const wait = this.#begin(`acquire ${event.primitive}`, event, event.atMs - event.waitedMs);
    wait.span.setAttribute('coordination.outcome', outcome);
    return wait;
  }

  #end(event: LineEvent, outcome: string, errorType?: string): void {
    const hold = this.#holding.take(event);
    if (hold === undefined) return;
    hold.span.setAttribute('coordination.outcome', outcome);
    if (errorType !== undefined) fail(hold.span, errorType.toUpperCase());
    end(hold, event);
  }

  #begin(name: string, event: LineEvent, atMs: number): Drawn {
    const attributes: Attributes = {
      ...this.#base,
      'coordination.primitive': event.primitive,
      'coordination.name': event.name,
      'coordination.session.epoch': event.epoch,
    };
    if (event.session !== null) attributes['coordination.session.id'] = event.session;
    if (event.entry !== null) attributes['coordination.entry'] = event.entry;
    if (event.token !== null) attributes['coordination.token'] = String(event.token);
    const originMs = Date.now() - performance.now();
    return { span: this.#tracer.startSpan(name, { startTime: originMs + atMs, attributes }), originMs };
  }
}

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR, message: errorType });
}

function end({ span, originMs }: Drawn, { atMs }: LineEvent): void {
  span.end(originMs + atMs);
}
