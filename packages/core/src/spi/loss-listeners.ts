import type { CoordinationError } from '../errors.js';

/**
 * When within one loss a listener runs: all flags drop, then signals abort, then owning streams end, then (after the state was shown)
 * it is logged, then the driver cleans up.
 */
export type LossStage = 'flag' | 'abort' | 'end' | 'log' | 'driver';

type Listener = (reason: CoordinationError) => void;

/** Who has to be told that a session is over, in the order they asked. */
export class LossListeners {
  readonly #byStage: Record<LossStage, Set<Listener>> = {
    flag: new Set(),
    abort: new Set(),
    end: new Set(),
    log: new Set(),
    driver: new Set(),
  };

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
    const { flag, abort, end, log, driver } = this.#byStage;
    const taken = { flag: [...flag], abort: [...abort], end: [...end], log: [...log], driver: [...driver] };
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
