/** Somebody who waits for a session; with `epoch`, for that one only. */
export interface ConnectionWaiter {
  readonly epoch: number | undefined;
  readonly resolve: (epoch: number) => void;
  readonly reject: (reason: unknown) => void;
}

/** Who waits for the session to be connected, oldest first. Each is answered once. */
export class ConnectionWaiters {
  readonly #waiters = new Set<ConnectionWaiter>();

  /** Returns what takes the waiter back. */
  add(waiter: ConnectionWaiter): () => void {
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Resolves all, as long as `isConnected` says so: whoever is resolved may end the session. */
  resolve(epoch: number, isConnected: () => boolean): void {
    for (const waiter of [...this.#waiters]) {
      if (!isConnected()) return;
      if (this.#waiters.delete(waiter)) waiter.resolve(epoch);
    }
  }

  /** Rejects those who wait for one epoch, or everybody. */
  reject(who: 'of-an-epoch' | 'everybody', reason: unknown): void {
    for (const waiter of [...this.#waiters]) {
      if (who === 'of-an-epoch' && waiter.epoch === undefined) continue;
      if (this.#waiters.delete(waiter)) waiter.reject(reason);
    }
  }
}
