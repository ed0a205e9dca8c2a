import { Leaving } from './leaving.js';

/** What one contender leaves, which it can wait for by itself; the close of the coordinator waits for it as for all. */
export class OwnLeaving extends Leaving {
  readonly #all: Leaving;

  constructor(all: Leaving) {
    super(all.requests, all.events);
    this.#all = all;
  }

  override track<T>(work: Promise<T>): Promise<T> {
    return this.#all.track(super.track(work));
  }
}
