import type { CoordinationError } from '../errors.js';

/**
 * When within one loss a listener runs: all flags drop, then signals abort, then owning streams end, then (after the state was shown)
 * it is logged, then the driver cleans up.
 */
export type LossStage = 'flag' | 'abort' | 'end' | 'log' | 'driver';

/** What somebody does in which stage of a loss. */
export type LossListener = { readonly [Stage in LossStage]?: (reason: CoordinationError) => void };

interface Listening {
  readonly listener: LossListener;
  /** False once taken back, also while a loss is being told: an earlier listener may end what a later one is for. */
  wanted: boolean;
}

/** Who has to be told that a session is over, in the order they asked. */
export class LossListeners {
  #listening = new Set<Listening>();

  add(listener: LossListener): () => void {
    const listening = { listener, wanted: true };
    const all = this.#listening;
    all.add(listening);
    return () => {
      listening.wanted = false;
      all.delete(listening);
    };
  }

  /** One loss in one turn: tells everybody there is, once, and forgets them; `show` emits the state, between what is told before and after. */
  tellAll(reason: CoordinationError, show: () => void): void {
    const taken = [...this.#listening];
    this.#listening = new Set();
    const run = (stage: LossStage): void => {
      for (const listening of taken) if (listening.wanted) tell(listening.listener[stage], reason);
    };
    run('flag');
    run('abort');
    run('end');
    show();
    run('log');
    run('driver');
  }
}

// Whoever throws must not keep the others from being told; the error still surfaces as an uncaught one.
function tell(listener: ((reason: CoordinationError) => void) | undefined, reason: CoordinationError): void {
  try {
    listener?.(reason);
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
