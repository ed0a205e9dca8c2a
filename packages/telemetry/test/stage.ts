import { type Coordinator, type CoordinatorOptions, createCoordinator } from '@concordat/core';
import { MemoryStore, memory } from '@concordat/driver-memory';
import { type Attributes, context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished } from 'vitest';
import { type Instrumentation, type InstrumentOptions, instrument } from '../src/index.js';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** A memory store with links that may be broken, and an SDK that keeps what it is told. */
export class Stage {
  readonly store = new MemoryStore();
  readonly spans = new InMemorySpanExporter();
  readonly #exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#exporter, exportIntervalMillis: 3_600_000 });
  readonly meterProvider = new MeterProvider({ readers: [this.#reader] });
  readonly tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.spans)] });

  constructor() {
    onTestFinished(async () => {
      await this.meterProvider.shutdown();
      this.store.close();
    });
  }

  /** An instrumented coordinator on a link of its own. */
  open(
    options: InstrumentOptions = {},
    given: CoordinatorOptions = {},
  ): { coordinator: Coordinator; link: ReturnType<MemoryStore['link']>; instrumentation: Instrumentation } {
    const link = this.store.link();
    const defaults = { storeName: link.address, sessionTimeoutMs: 1_500, allowShortSession: true };
    const coordinator = createCoordinator(memory, { ...defaults, ...given });
    onTestFinished(() => coordinator.close());
    return { coordinator, link, instrumentation: this.instrument(coordinator, options) };
  }

  instrument(coordinator: Parameters<typeof instrument>[0], options: InstrumentOptions = {}): Instrumentation {
    const { meterProvider, tracerProvider } = this;
    const instrumentation = instrument(coordinator, { meterProvider, tracerProvider, ...options });
    onTestFinished(() => instrumentation.stop());
    return instrumentation;
  }

  /** Collects now: every series of a metric that has these attributes. */
  async series(name: string, wanted: Attributes = {}): Promise<DataPoint<number | Histogram>[]> {
    this.#exporter.reset();
    await this.meterProvider.forceFlush();
    const all = this.#exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const metric = all.flatMap(({ metrics }) => metrics).find(({ descriptor }) => descriptor.name === name);
    const points = (metric?.dataPoints ?? []) as DataPoint<number | Histogram>[];
    return points.filter(({ attributes }) => Object.entries(wanted).every(([key, value]) => attributes[key] === value));
  }

  /** The one number of a metric with these attributes. */
  async value(name: string, wanted: Attributes = {}): Promise<number> {
    const points = await this.series(name, wanted);
    expect(points, `${name} ${JSON.stringify(wanted)}`).toHaveLength(1);
    return Number(points[0]?.value);
  }

  /** The one histogram of a metric with these attributes. */
  async histogram(name: string, wanted: Attributes = {}): Promise<Histogram> {
    const points = await this.series(name, wanted);
    expect(points, `${name} ${JSON.stringify(wanted)}`).toHaveLength(1);
    return points[0]?.value as Histogram;
  }

  /** Every name there is. */
  async names(): Promise<readonly string[]> {
    this.#exporter.reset();
    await this.meterProvider.forceFlush();
    const all = this.#exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return all.flatMap(({ metrics }) => metrics).map(({ descriptor }) => descriptor.name);
  }

  /** Every attribute of every series, as text. */
  async labels(): Promise<string> {
    this.#exporter.reset();
    await this.meterProvider.forceFlush();
    const all = this.#exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const points = all.flatMap(({ metrics }) => metrics).flatMap(({ dataPoints }) => [...dataPoints]);
    return JSON.stringify(points.map(({ attributes }) => attributes));
  }
}
