import { type Child, type Clock, delayed, type Entry, type Key, type Ref, type Register } from '@concordat/core/spi';
import { Observable } from 'rxjs';
import { ChildrenView } from './children-view.js';
import type { Followers } from './followers.js';
import type { Keys } from './keys.js';
import { toRegister } from './registers.js';
import type { Stored } from './store/protocol.js';
import type { Transport } from './transport.js';

// A grant held for less than this never pays for a watch on its own entry.
const ownWatchDelayMs = 100;

/** What is told of changes: a register, the children of a directory, the end of an entry. */
export class Watches {
  readonly #followers: Followers;
  readonly #transport: Transport;
  readonly #keys: Keys;
  readonly #clock: Clock;

  constructor(followers: Followers, transport: Transport, keys: Keys, clock: Clock) {
    this.#clock = clock;
    this.#followers = followers;
    this.#transport = transport;
    this.#keys = keys;
  }

  register(key: Key): Observable<Register | null> {
    return new Observable((subscriber) => {
      let told: Stored | null | undefined;
      const tell = (stored: Stored | null): void => {
        // What the store keeps is never changed in place: another object is another state, also after a wipe.
        if (stored === told) return;
        told = stored;
        subscriber.next(stored === null ? null : toRegister(stored));
      };
      return this.#followers.follow(this.#key(key), {
        started: ([stored]) => tell(stored ?? null),
        changed: (_key, stored) => tell(stored),
        closed: () => subscriber.complete(),
      });
    });
  }

  children(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]> {
    return new Observable((subscriber) => {
      const view = new ChildrenView(options.data, (children) => subscriber.next(children));
      let due = false;
      const tellLater = (): void => {
        if (due) return;
        due = true;
        this.#transport.later(() => {
          due = false;
          if (!subscriber.closed) view.tell();
        });
      };
      return this.#followers.follow(
        { of: 'directory', path: this.#keys.of(dir) },
        {
          started: (present) => {
            view.reset(present);
            tellLater();
          },
          changed: (key, stored) => {
            view.change(key, stored);
            tellLater();
          },
          closed: () => subscriber.complete(),
        },
      );
    });
  }

  gone(ref: Ref | Entry, options: { readonly touched: boolean }): Observable<'gone' | 'touched'> {
    const watched = this.#gone(ref, options);
    return 'epoch' in ref ? delayed(this.#clock, ownWatchDelayMs, watched) : watched;
  }

  #gone(ref: Ref | Entry, options: { readonly touched: boolean }): Observable<'gone' | 'touched'> {
    return new Observable((subscriber) => {
      const look = (stored: Stored | null): void => {
        const state = fateOf(ref, stored, options.touched);
        if (state === null) return;
        subscriber.next(state);
        subscriber.complete();
      };
      return this.#followers.follow(this.#key(`${ref.dir}/${ref.name}`), {
        started: ([stored]) => look(stored ?? null),
        changed: (_key, stored) => look(stored),
        closed: () => subscriber.complete(),
      });
    });
  }

  #key(key: Key): { readonly of: 'key'; readonly path: string } {
    return { of: 'key', path: this.#keys.of(key) };
  }
}

function fateOf(ref: Ref | Entry, stored: Stored | null, touched: boolean): 'gone' | 'touched' | null {
  if (stored === null || stored.created !== (ref.created ?? stored.created)) return 'gone';
  return touched && stored.version !== stored.created ? 'touched' : null;
}
