import type { CoordinationError } from '../errors.js';

/** When within one loss a listener runs: signals abort, then owning streams end, then the driver cleans up. */
export type LossStage = 'abort' | 'end' | 'driver';

type Listener = (reason: CoordinationError) => void;

/** Who has to be told that a session is over, in the order they asked. */
export class LossListeners {
  readonly #byStage: Record<LossStage, Set<Listener>> = { abort: new Set(), end: new Set(), driver: new Set() };

  add(stage: LossStage, listener: Listener): () => void {
    // Taken back also while a loss is being told: an earlier listener may end what a later one is for.
    let wanted = true;
    const own: Listener = (reason) => {
      if (wanted) listener(reason);
    };
    this.#byStage[stage].add(own);
    return () => {
      wanted = false;
      this.#byStage[stage].delete(own);
    };
  }

  /** Everybody there is, and forgets them: each is told once. */
  take(): { run(stage: LossStage, reason: CoordinationError): void } {
    const taken = { abort: [...this.#byStage.abort], end: [...this.#byStage.end], driver: [...this.#byStage.driver] };
    for (const listeners of Object.values(this.#byStage)) listeners.clear();
    return {
      run: (stage, reason) => {
        for (const listener of taken[stage]) tell(listener, reason);
      },
    };
  }
}

// Whoever throws must not keep the others from being told; the error still surfaces as an uncaught one.
function tell(listener: Listener, reason: CoordinationError): void {
  try {
    listener(reason);
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
