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
import { Keys } from './keys.js';
import { Registers } from './registers.js';
import { Requests } from './requests.js';
import { SessionKeeper } from './session-keeper.js';
import { Transport } from './transport.js';
import { WatchStream } from './watch-stream.js';
import { Watches } from './watches.js';

/** One session after another on one etcd cluster. */
export class EtcdBackend implements Backend {
  readonly #transport: Transport;
  readonly #requests: Requests;
  readonly #stream: WatchStream;
  readonly #keeper: SessionKeeper;
  readonly #registers: Registers;
  readonly #watches: Watches;
  readonly #entries: Entries;
  #closing: Promise<void> | null = null;

  constructor(options: OpenOptions) {
    const { clock, session, requestTimeoutMs } = options;
    const keys = new Keys(options.namespace);
    this.#transport = new Transport(options);
    const requests = new Requests(this.#transport, session, clock, requestTimeoutMs);
    this.#requests = requests;
    this.#stream = new WatchStream(this.#transport, clock, requests.traffic);
    this.#keeper = new SessionKeeper(requests, this.#stream, keys, options.sessionTimeoutMs);
    this.#registers = new Registers(requests, keys, this.#keeper);
    this.#watches = new Watches(requests, this.#stream, keys);
    this.#entries = new Entries(requests, keys, this.#keeper);
    this.#keeper.start();
  }

  get traffic(): Traffic {
    return this.#requests.traffic;
  }

  confirm(_call: Call): Promise<void> {
    return this.#keeper.confirm();
  }

  get(key: Key, consistency: Consistency, call: Call): Promise<Register | null> {
    return this.#registers.get(key, consistency, call);
  }

  put(key: Key, value: Uint8Array, options: PutOptions, call: Call): Promise<PutResult> {
    return this.#registers.put(key, value, options, call);
  }

  delete(key: Key, options: DeleteOptions, call: Call): Promise<DeleteResult> {
    return this.#registers.delete(key, options, call);
  }

  /** etcd really deletes, and its revisions go on rising: nothing is left to unlink. */
  purge(_key: Key, _call: Call): Promise<void> {
    return Promise.resolve();
  }

  children(dir: Key, call: Call): Promise<readonly string[]> {
    return this.#registers.children(dir, call);
  }

  watch(key: Key): Observable<Register | null> {
    return this.#watches.watch(key);
  }

  watchChildren(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]> {
    return this.#watches.watchChildren(dir, options);
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
    this.#closing ??= this.#close(limitMs);
    return this.#closing;
  }

  async #close(limitMs: number): Promise<void> {
    this.#watches.close();
    await this.#keeper.close(limitMs);
    this.#stream.close();
    this.#transport.close();
  }
}
