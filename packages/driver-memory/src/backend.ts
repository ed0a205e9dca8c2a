import type {
  Backend,
  Call,
  Child,
  Consistency,
  DeleteOptions,
  DeleteResult,
  Entry,
  Key,
  Kind,
  OpenOptions,
  Place,
  PutOptions,
  PutResult,
  Ref,
  Register,
  Rule,
  Traffic,
} from '@concordat/core/spi';
import type { Observable } from 'rxjs';
import { type EnterContext, Entries } from './entries.js';
import { Followers } from './followers.js';
import { Keys } from './keys.js';
import { Registers } from './registers.js';
import { Requests } from './requests.js';
import { SessionKeeper } from './session-keeper.js';
import type { MemoryLink } from './store/memory-link.js';
import { Transport } from './transport.js';
import { Watches } from './watches.js';

/** The client half of the memory store: written like the driver of a real one, over a link that may fail. */
export class MemoryBackend implements Backend {
  readonly #transport: Transport;
  readonly #requests: Requests;
  readonly #followers: Followers;
  readonly #keeper: SessionKeeper;
  readonly #registers: Registers;
  readonly #watches: Watches;
  readonly #entries: Entries;

  constructor(options: OpenOptions, link: MemoryLink) {
    const { session } = options;
    const keys = new Keys(options.namespace);
    this.#transport = new Transport(link);
    this.#requests = new Requests(session, this.#transport);
    this.#followers = new Followers(this.#transport);
    this.#keeper = new SessionKeeper(options, this.#transport, keys, {
      opened: () => this.#followers.renew(),
      changed: (message) => this.#followers.changed(message),
    });
    this.#registers = new Registers(this.#requests, session, keys);
    this.#watches = new Watches(this.#followers, this.#transport, keys, options.clock);
    this.#entries = new Entries(this.#requests, session, keys);
    this.#keeper.start();
  }

  get traffic(): Traffic {
    return this.#transport.traffic;
  }

  confirm(call: Call): Promise<void> {
    return this.#keeper.confirm(call);
  }

  // One server answers every request in one order, so that any read is linearizable.
  get(key: Key, _consistency: Consistency, call: Call): Promise<Register | null> {
    return this.#registers.get(key, call);
  }

  put(key: Key, value: Uint8Array, options: PutOptions, call: Call): Promise<PutResult> {
    return this.#registers.put(key, value, options, call);
  }

  delete(key: Key, options: DeleteOptions, call: Call): Promise<DeleteResult> {
    return this.#registers.delete(key, options, call);
  }

  // A deletion leaves nothing behind here.
  async purge(): Promise<void> {}

  children(dir: Key, call: Call): Promise<readonly string[]> {
    return this.#registers.children(dir, call);
  }

  watch(key: Key): Observable<Register | null> {
    return this.#watches.register(key);
  }

  watchChildren(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]> {
    return this.#watches.children(dir, options);
  }

  enter(dir: Key, kind: Kind, data: Uint8Array, rule: Rule, context: EnterContext): Promise<Place> {
    return this.#entries.enter(dir, kind, data, rule, context);
  }

  ahead(entry: Entry, rule: Rule, call: Call): Promise<readonly Ref[] | null> {
    return this.#entries.ahead(entry, rule, call);
  }

  gone(ref: Ref | Entry, options: { readonly touched: boolean }): Observable<'gone' | 'touched'> {
    return this.#watches.gone(ref, options);
  }

  update(entry: Entry, data: Uint8Array, call: Call): Promise<void> {
    return this.#entries.update(entry, data, call);
  }

  leave(entry: Entry, call: Call): Promise<void> {
    return this.#entries.leave(entry, call);
  }

  first(dir: Key, call: Call): Promise<Child | null> {
    return this.#entries.first(dir, call);
  }

  close(limitMs: number): Promise<void> {
    this.#requests.close();
    this.#followers.close();
    return this.#keeper.close(limitMs);
  }
}
