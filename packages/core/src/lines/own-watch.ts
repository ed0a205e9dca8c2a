import type { Subscription } from 'rxjs';
import { Backoff } from '../backoff.js';
import type { Context } from '../context.js';
import type { Entry } from '../spi/backend.js';
import type { Timer } from '../spi/clock.js';

/**
 * Tells that an entry of mine is gone. A watch that is refused ends, though the entry is as good as before: it is opened again, so that a deletion
 * by hand does not go unseen once the permission is back.
 */
export class OwnWatch {
  readonly #context: Context;
  readonly #entry: Entry;
  readonly #gone: () => void;
  #subscription: Subscription | undefined;
  #pauses: Backoff | null = null;
  #again: Timer | null = null;
  #stopped = false;

  /** @param gone told at most once, perhaps before this returns. */
  constructor(context: Context, entry: Entry, gone: () => void) {
    this.#context = context;
    this.#entry = entry;
    this.#gone = gone;
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    this.#again?.cancel();
    this.#subscription?.unsubscribe();
  }

  #open(): void {
    const { requests } = this.#context;
    this.#subscription = requests
      .backend()
      ?.gone(this.#entry, { touched: false })
      .subscribe({ next: () => this.#gone(), error: () => this.#openAgain() });
    // Whoever was told at once may have ended it.
    if (this.#stopped) this.#subscription?.unsubscribe();
  }

  #openAgain(): void {
    if (this.#stopped) return;
    this.#pauses ??= new Backoff();
    this.#again = this.#context.clock.setTimer(() => this.#open(), this.#pauses.nextMs);
  }
}
