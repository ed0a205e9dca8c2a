import type { Coordinator, RequestEvent, SessionState } from '@concordat/core';
import type { Attributes, BatchObservableResult } from '@opentelemetry/api';
import type { Instruments } from './instruments.js';
import type { Pulse } from './pulse.js';

const states = ['connecting', 'connected', 'suspended', 'lost'] as const;

/** The session and what goes over its wire. */
export class SessionMetrics {
  readonly #instruments: Instruments;
  readonly #base: Attributes;
  readonly #coordinator: Pick<Coordinator, 'traffic'>;
  readonly #pulse: Pulse;
  #state: SessionState | null = null;
  #connectedEpoch: number | null = null;
  #apartSince: number | null = performance.now();

  constructor(instruments: Instruments, base: Attributes, coordinator: Pick<Coordinator, 'traffic'>, pulse: Pulse) {
    this.#instruments = instruments;
    this.#base = base;
    this.#coordinator = coordinator;
    this.#pulse = pulse;
    for (const state of states) instruments.sessions.add(0, this.#in(state));
    instruments.expirations.add(0, base);
  }

  /** The state now, and every later one. */
  move(state: SessionState): void {
    this.#leave();
    this.#state = state;
    if (state.state !== 'closed') this.#instruments.sessions.add(1, this.#in(state.state));
    if (state.state === 'lost') this.#instruments.expirations.add(1, this.#base);
    if (state.state === 'connected') this.#connected(state.epoch);
    else this.#apartSince ??= performance.now();
  }

  /** Nobody is told any more: what was counted is taken back. */
  stop(): void {
    this.#leave();
    this.#state = null;
  }

  record({ operation, durationMs, code }: RequestEvent): void {
    const attributes: Attributes = { ...this.#base, 'coordination.operation': operation ?? 'none' };
    if (code !== null) attributes['error.type'] = code;
    this.#instruments.operationDuration.record(durationMs / 1_000, attributes);
  }

  observe(result: BatchObservableResult): void {
    const { requests, heartbeats, notifications, staleAge, leaseMargin, eventLoopLag } = this.#instruments;
    const { traffic } = this.#coordinator;
    result.observe(requests, traffic.requests, this.#base);
    result.observe(heartbeats, traffic.heartbeats, this.#base);
    result.observe(notifications, traffic.notifications, this.#base);
    const apartMs = this.#apartSince === null ? 0 : performance.now() - this.#apartSince;
    result.observe(staleAge, apartMs / 1_000, this.#base);
    const { leastMarginMs, longestLagMs } = this.#pulse.take();
    result.observe(leaseMargin, leastMarginMs / 1_000, this.#base);
    result.observe(eventLoopLag, longestLagMs / 1_000, this.#base);
  }

  #connected(epoch: number): void {
    if (this.#apartSince !== null && this.#connectedEpoch !== null) {
      const outcome = epoch === this.#connectedEpoch ? 'resumed' : 'replaced';
      const apartMs = performance.now() - this.#apartSince;
      this.#instruments.reconnectDuration.record(apartMs / 1_000, { ...this.#base, 'coordination.outcome': outcome });
    }
    this.#apartSince = null;
    this.#connectedEpoch = epoch;
  }

  #leave(): void {
    if (this.#state !== null && this.#state.state !== 'closed')
      this.#instruments.sessions.add(-1, this.#in(this.#state.state));
  }

  #in(state: string): Attributes {
    return { ...this.#base, 'coordination.session.state': state };
  }
}
