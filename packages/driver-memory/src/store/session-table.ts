import type { Clock, Timer } from '@concordat/core/spi';
import type { Connection } from './connection.js';

/** A session at one moment. */
export interface SessionSnapshot {
  readonly id: string;
  readonly timeoutMs: number;
  /** The connection it last spoke on. */
  readonly speaksOn: Connection;
}

interface Lease {
  readonly id: string;
  readonly timeoutMs: number;
  speaksOn: Connection;
  expiresAt: number;
  timer: Timer;
}

export interface SessionTableOptions {
  readonly clock: Clock;
  /** False while the store is frozen or down: then nothing expires. */
  readonly running: () => boolean;
  /** Called right after a session was taken from the table. */
  readonly ended: (id: string, speaksOn: Connection) => void;
}

/** The sessions of a store, each of which ends unless it is heard of within its timeout, by the store's clock. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  readonly #leases = new Map<string, Lease>();

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  /** Ids of the sessions there are, oldest first. */
  get ids(): readonly string[] {
    return [...this.#leases.keys()];
  }

  /** Those there are now, oldest first. */
  get snapshot(): readonly SessionSnapshot[] {
    return [...this.#leases.values()].map(({ id, timeoutMs, speaksOn }) => ({ id, timeoutMs, speaksOn }));
  }

  open(id: string, timeoutMs: number, speaksOn: Connection): void {
    const expiresAt = this.#options.clock.now() + timeoutMs;
    this.#leases.set(id, { id, timeoutMs, speaksOn, expiresAt, timer: this.#timer(id, timeoutMs) });
  }

  /** True while the session lasts; one whose time is up ends here, even when its timer is late. */
  alive(id: string): boolean {
    const lease = this.#leases.get(id);
    if (lease === undefined) return false;
    if (this.#options.clock.now() < lease.expiresAt) return true;
    this.end(id);
    return false;
  }

  /** Starts the timeout again; `false` when the session is over. */
  renew(id: string, speaksOn: Connection): boolean {
    const lease = this.#leases.get(id);
    if (lease === undefined || !this.alive(id)) return false;
    lease.speaksOn = speaksOn;
    lease.expiresAt = this.#options.clock.now() + lease.timeoutMs;
    return true;
  }

  end(id: string): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    this.#leases.delete(id);
    lease.timer.cancel();
    this.#options.ended(id, lease.speaksOn);
  }

  /** After a thaw: whoever's time ran out meanwhile is gone. */
  expireDue(): void {
    for (const lease of [...this.#leases.values()]) if (this.alive(lease.id)) this.#rearm(lease);
  }

  /** After a restart: every session gets its whole timeout again, as a store election gives it. */
  renewAll(): void {
    for (const lease of this.#leases.values()) {
      lease.expiresAt = this.#options.clock.now() + lease.timeoutMs;
      this.#rearm(lease);
    }
  }

  /** Stops every timer. */
  stop(): void {
    for (const lease of this.#leases.values()) lease.timer.cancel();
  }

  #rearm(lease: Lease): void {
    lease.timer.cancel();
    lease.timer = this.#timer(lease.id, lease.expiresAt - this.#options.clock.now());
  }

  // A heartbeat leaves the timer alone: it looks again when it fires.
  #timer(id: string, delayMs: number): Timer {
    return this.#options.clock.setTimer(() => {
      const lease = this.#leases.get(id);
      if (lease !== undefined && this.#options.running() && this.alive(id)) this.#rearm(lease);
    }, delayMs);
  }
}
