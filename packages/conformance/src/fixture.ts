import {
  type CoordinationEvent,
  type Coordinator,
  type CoordinatorOptions,
  createCoordinator,
  type SessionState,
} from '@concordat/core';
import { Session, systemClock, type Traffic } from '@concordat/core/spi';
import { eventually, throughout } from './eventually.js';
import type { Harness, Link, World } from './harness.js';
import { requireLegal } from './legal-transitions.js';
import { MendedServer } from './mended-server.js';
import { Recorder } from './recorder.js';
import { StoreClient } from './store-client.js';

/** A coordinator on a link of its own, with everything it said so far. */
export interface Client {
  readonly coordinator: Coordinator;
  readonly link: Link;
  readonly states: Recorder<SessionState>;
  readonly events: Recorder<CoordinationEvent>;
}

export interface ClientOptions extends CoordinatorOptions {
  /** Default: a new one. */
  readonly link?: Link;
  /** False: does not wait until it is ready. */
  readonly ready?: boolean;
}

let namespaces = 0;
const run = `${String(process.pid)}-${Math.floor(performance.timeOrigin).toString(36)}`;

/** What one scenario works with: a namespace of its own, and clients that are closed when it ends, whatever happened. */
export class Fixture {
  readonly harness: Harness;
  readonly world: World;
  readonly server: MendedServer;
  readonly namespace = `suite/${run}-${String(++namespaces)}`;
  readonly #create: typeof createCoordinator;
  readonly #endings: (() => unknown)[] = [];

  /** @param create opens coordinators; another one than core's is for tests of the suite itself. */
  constructor(harness: Harness, world: World, create = createCoordinator) {
    this.harness = harness;
    this.world = world;
    this.#create = create;
    this.server = new MendedServer(world.server);
  }

  /** Session timeout, in milliseconds. */
  get timeoutMs(): number {
    return this.harness.sessionTimeoutMs;
  }

  /** Limit of one request of its clients, in milliseconds. */
  get requestMs(): number {
    return Math.min(5_000, this.timeoutMs / 3);
  }

  /** How long before the store's own expiry a session has to be given up, in milliseconds. */
  get marginMs(): number {
    return Math.max(250, this.timeoutMs / 20);
  }

  async link(): Promise<Link> {
    const link = await this.world.link();
    this.finally(() => link.close());
    return link;
  }

  async client(options: ClientOptions = {}): Promise<Client> {
    const { link = await this.link(), ready = true, ...given } = options;
    const { namespace, timeoutMs: sessionTimeoutMs } = this;
    const { driver, driverOptions = {} } = this.harness;
    const defaults = { namespace, sessionTimeoutMs, allowShortSession: true, driverOptions };
    const coordinator = this.#create(driver, { ...link.options, ...defaults, ...given });
    const states = new Recorder(coordinator.session$);
    const events = new Recorder(coordinator.events$);
    this.finally(async () => {
      await coordinator.close();
      requireLegal(states.values);
    });
    if (ready) await coordinator.ready({ timeoutMs: 20_000 });
    return { coordinator, link, states, events };
  }

  clients(count: number): Promise<Client[]> {
    return Promise.all(Array.from({ length: count }, () => this.client()));
  }

  /** A bare backend, as core would open it. */
  async store(options: { readonly link?: Link; readonly ready?: boolean } = {}): Promise<StoreClient> {
    const { link = await this.link(), ready = true } = options;
    const session = new Session({ clock: systemClock });
    const { storeName = '', hosts = [] } = link.options;
    const backend = this.harness.driver.open({
      hosts: hosts.map((host) => (typeof host === 'string' ? addressOf(host) : host)),
      namespace: this.namespace,
      sessionTimeoutMs: this.timeoutMs,
      requestTimeoutMs: this.requestMs,
      credentials: null,
      tls: null,
      clock: systemClock,
      session,
      storeName,
      extra: this.harness.driverOptions ?? {},
    });
    const states = new Recorder(session.state$);
    const client = new StoreClient(backend, session, link, this.requestMs);
    this.finally(async () => {
      session.close();
      await backend.close(this.requestMs);
      requireLegal(states.values);
    });
    if (ready) await session.connected();
    return client;
  }

  stores(count: number): Promise<StoreClient[]> {
    return Promise.all(Array.from({ length: count }, () => this.store()));
  }

  /** Ends a client's session on the store. */
  expire({ states }: Pick<Client, 'states'>): Promise<void> {
    return this.world.operator.expireSession(String(states.last?.id));
  }

  /** Every key of this scenario's namespace, as an operator sees it. */
  keys(): Promise<readonly string[]> {
    return this.world.operator.keys(this.namespace);
  }

  /** Names of the entries in a directory, oldest first, as an operator sees them. */
  entries(dir: string): Promise<readonly string[]> {
    return this.world.operator.entries(this.namespace, dir);
  }

  /** Waits until a directory has that many entries, and answers them. */
  lineOf(dir: string, length: number, withinMs?: number): Promise<readonly string[]> {
    return eventually(async () => {
      const entries = await this.entries(dir);
      if (entries.length !== length)
        throw new Error(`${dir} has ${String(entries.length)} entries, not ${String(length)}`);
      return entries;
    }, withinMs);
  }

  /** Waits until a client sent more than `before` requests, and they had the time to reach its link. */
  async sent(sender: { readonly traffic: Traffic }, before: number): Promise<void> {
    await eventually(() => {
      if (sender.traffic.requests <= before) throw new Error('nothing was sent');
    });
    await throughout(50, () => undefined);
  }

  /** Runs when the scenario ends; the last one goes first. */
  finally(ending: () => unknown): void {
    this.#endings.push(ending);
  }

  /** Ends everything; throws the first failure after all of it was tried. */
  async end(): Promise<void> {
    const failures: unknown[] = [];
    const endings = [() => this.server.mend(), ...this.#endings.splice(0).reverse()];
    for (const ending of endings) {
      try {
        await ending();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

function addressOf(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}
