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
} from '@concordat/core/spi';
import type { Observable } from 'rxjs';
import { Entries } from './entries.js';
import { readError } from './errors.js';
import { Paths } from './keys.js';
import { PathTable } from './path-table.js';
import { Registers } from './registers.js';
import { SessionKeeper } from './session-keeper.js';
import { TrafficCount } from './traffic.js';
import type { LoadTransport } from './transport.js';
import { Watches } from './watches.js';

/** ZooKeeper as the recipes see it: hands each question to the part that knows. */
export class ZooKeeperBackend implements Backend {
  readonly traffic = new TrafficCount();
  readonly #keeper: SessionKeeper;
  readonly #registers: Registers;
  readonly #watches: Watches;
  readonly #entries: Entries;

  constructor(options: OpenOptions, load: LoadTransport) {
    const paths = new Paths(options.namespace);
    this.#keeper = new SessionKeeper(options, paths, () => load(this.traffic));
    const table = new PathTable(this.#keeper);
    this.#registers = new Registers(this.#keeper, paths);
    this.#watches = new Watches(table, paths, options.clock);
    this.#entries = new Entries(this.#keeper, table, paths, options.clock);
    this.#keeper.start();
  }

  async confirm(_call: Call): Promise<void> {
    const proof = await this.#keeper.heartbeat.behind(() => Promise.resolve({ ok: true, value: null }));
    if (!proof.ok) throw readError(proof, 'the node of this session');
  }

  get(key: Key, consistency: Consistency, _call: Call): Promise<Register | null> {
    return this.#registers.get(key, consistency);
  }

  put(key: Key, value: Uint8Array, options: PutOptions, call: Call): Promise<PutResult> {
    return this.#registers.put(key, value, options, call);
  }

  delete(key: Key, options: DeleteOptions, call: Call): Promise<DeleteResult> {
    return this.#registers.delete(key, options, call);
  }

  purge(key: Key, call: Call): Promise<void> {
    return this.#registers.purge(key, call);
  }

  children(dir: Key, _call: Call): Promise<readonly string[]> {
    return this.#registers.children(dir);
  }

  watch(key: Key): Observable<Register | null> {
    return this.#watches.watch(key);
  }

  watchChildren(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]> {
    return this.#watches.watchChildren(dir, options);
  }

  enter(
    dir: Key,
    kind: Kind,
    data: Uint8Array,
    rule: Rule,
    context: { readonly epoch: number; readonly signal: AbortSignal },
  ): Promise<Place> {
    return this.#entries.enter(dir, kind, data, rule, context);
  }

  ahead(entry: Entry, rule: Rule, _call: Call): Promise<readonly Ref[] | null> {
    return this.#entries.ahead(entry, rule);
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

  first(dir: Key, _call: Call): Promise<Child | null> {
    return this.#entries.first(dir);
  }

  async close(limitMs: number): Promise<void> {
    this.#watches.close();
    await this.#keeper.close(limitMs);
  }
}
