import type { Changed, Stored, Target } from './store/protocol.js';
import type { Transport } from './transport.js';

/** Somebody who follows a key or a directory over every reconnect. */
export interface Follower {
  /** The state as it is now, whatever was told before. */
  started(present: readonly Stored[]): void;
  changed(key: string, stored: Stored | null): void;
  /** The backend closes. */
  closed(): void;
}

/** Watches on the store, opened again on each new connection. */
export class Followers {
  readonly #transport: Transport;
  readonly #active = new Map<number, { readonly target: Target; readonly follower: Follower }>();
  #lastWatch = 0;
  #closed = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Starts to follow; returns what stops it. */
  follow(target: Target, follower: Follower): () => void {
    if (this.#closed) {
      follower.closed();
      return () => undefined;
    }
    const watch = ++this.#lastWatch;
    this.#active.set(watch, { target, follower });
    this.#watch(watch, target);
    return () => {
      if (this.#active.delete(watch)) this.#transport.send('unwatch', { watch }, ignored);
    };
  }

  /** A new connection stands. */
  renew(): void {
    for (const [watch, { target }] of this.#active) this.#watch(watch, target);
  }

  changed({ watch, key, stored }: Changed): void {
    this.#active.get(watch)?.follower.changed(key, stored);
  }

  close(): void {
    this.#closed = true;
    const followers = [...this.#active.values()];
    this.#active.clear();
    for (const { follower } of followers) follower.closed();
  }

  // Without a connection it fails at once, and the next one opens the watch.
  #watch(watch: number, target: Target): void {
    this.#transport.send(
      'watch',
      { watch, target },
      {
        answered: ({ answer }) => this.#active.get(watch)?.follower.started(answer),
        failed: () => undefined,
      },
    );
  }
}

const ignored = { answered: () => undefined, failed: () => undefined };
