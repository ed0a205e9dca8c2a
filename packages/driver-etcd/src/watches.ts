import { type Child, delayed, type Entry, type Key, type Ref, type Register } from '@concordat/core/spi';
import { Observable, type Subscriber } from 'rxjs';
import type { Keys } from './keys.js';
import { type LiveOptions, LiveRange } from './live-range.js';
import { isChild, kindOf } from './names.js';
import type { Requests } from './requests.js';
import { FilterType } from './transport.js';
import type { WatchStream } from './watch-stream.js';

// A grant held for less than this never pays for a watch on its own entry.
const ownWatchDelayMs = 100;

type State = ReadonlyMap<string, Register>;

/** What is watched, as streams; they begin anew with each session, since it may be on a store that was restored. */
export class Watches {
  readonly #requests: Requests;
  readonly #stream: WatchStream;
  readonly #keys: Keys;
  readonly #live = new Map<LiveRange, () => void>();
  readonly #stopObserving: () => void;
  #epoch = 1;
  #closed = false;

  constructor(requests: Requests, stream: WatchStream, keys: Keys) {
    this.#requests = requests;
    this.#stream = stream;
    this.#keys = keys;
    this.#stopObserving = requests.session.observe(({ state, epoch }) => {
      if (state !== 'connected' || epoch === this.#epoch) return;
      this.#epoch = epoch;
      for (const live of [...this.#live.keys()]) live.restart();
    });
  }

  watch(key: Key): Observable<Register | null> {
    const options = { target: { key: this.#keys.at(key) }, nameOf: () => '', data: true };
    return this.#states(options, (subscriber: Subscriber<Register | null>) => {
      let last: Register | null | undefined;
      return (state) => {
        const now = state.get('') ?? null;
        if (now === last) return;
        last = now;
        subscriber.next(now);
      };
    });
  }

  watchChildren(dir: Key, { data }: { readonly data: boolean }): Observable<readonly Child[]> {
    const { range, nameOf } = this.#keys.below(dir);
    const childName = (key: Buffer): string | null => {
      const name = nameOf(key);
      return isChild(dir, name) ? name : null;
    };
    return this.#states({ target: range, nameOf: childName, data }, (subscriber: Subscriber<readonly Child[]>) => {
      let newest: State = new Map();
      let told: State | undefined;
      let pending: NodeJS.Immediate | undefined;
      subscriber.add(() => clearImmediate(pending));
      const tell = (): void => {
        pending = undefined;
        if (told !== undefined && isSame(told, newest)) return;
        told = new Map(newest);
        subscriber.next(childrenOf(dir, told, data));
      };
      return (state) => {
        newest = state;
        // A burst of changes arrives within one tick and is one snapshot.
        pending ??= setImmediate(tell);
      };
    });
  }

  gone(ref: Ref | Entry, options: { readonly touched: boolean }): Observable<'gone' | 'touched'> {
    const watched = this.#gone(ref, options);
    // It starts at the entry's own creation, so that nothing before is missed.
    return 'epoch' in ref ? delayed(this.#requests.clock, ownWatchDelayMs, watched) : watched;
  }

  #gone(ref: Ref | Entry, { touched }: { readonly touched: boolean }): Observable<'gone' | 'touched'> {
    const key = this.#keys.at(`${ref.dir}/${ref.name}`);
    const target = touched ? { key } : { key, filters: [FilterType.Noput] };
    const known = touched ? null : knownAlive(ref);
    const options = { target, nameOf: () => '', data: touched, ...(known === null ? {} : { known }) };
    return this.#states(options, (subscriber: Subscriber<'gone' | 'touched'>) => (state) => {
      const found = state.get('');
      const isThere = found !== undefined && (ref.created === null || found.created === ref.created);
      if (isThere && !(touched && found.version > found.created)) return;
      subscriber.next(isThere ? 'touched' : 'gone');
      subscriber.complete();
    });
  }

  /** Completes everybody. */
  close(): void {
    this.#closed = true;
    this.#stopObserving();
    for (const complete of [...this.#live.values()]) complete();
  }

  #states<T>(options: LiveOptions, follow: (subscriber: Subscriber<T>) => (state: State) => void): Observable<T> {
    return new Observable<T>((subscriber) => {
      if (this.#closed) return subscriber.complete();
      const live = new LiveRange(this.#requests, this.#stream, options, {
        changed: follow(subscriber),
        failed: (error) => subscriber.error(error),
      });
      subscriber.add(() => {
        this.#live.delete(live);
        live.stop();
      });
      this.#live.set(live, () => subscriber.complete());
      live.start();
      return undefined;
    });
  }
}

// What the reply said that showed it: alive, at that revision.
function knownAlive(ref: Ref | Entry): NonNullable<LiveOptions['known']> | null {
  const { created, seen } = ref;
  if (created === null || seen === null) return null;
  const register: Register = { value: new Uint8Array(0), version: created, created, owner: null };
  return { state: new Map([['', register]]), revision: seen };
}

function isSame(one: State, other: State): boolean {
  if (one.size !== other.size) return false;
  for (const [name, register] of other) if (one.get(name) !== register) return false;
  return true;
}

function childrenOf(dir: Key, state: State, data: boolean): readonly Child[] {
  return [...state]
    .sort(([oneName, one], [otherName, other]) => {
      if (one.created !== other.created) return one.created < other.created ? -1 : 1;
      return oneName < otherName ? -1 : 1;
    })
    .map(([name, register]) => {
      const { created, owner } = register;
      return { name, kind: kindOf(dir, name, owner), created, register: data ? register : null };
    });
}
