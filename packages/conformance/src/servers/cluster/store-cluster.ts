import type { Host } from '@concordat/core/spi';
import type { Operator } from '../../harness.js';
import { until } from '../until.js';
import type { ClusterKind } from './cluster-kind.js';
import { Door } from './door.js';
import type { ClusterMember } from './member.js';
import type { Network, Party } from './network.js';
import { Route } from './route.js';
import type { Rule } from './rule.js';

const electionLimitMs = 30_000;
const probe = { namespace: 'concordat-probe', key: 'quorum' } as const;

/** Whom a member is cut off from. */
export type Apart = 'peers' | 'clients' | 'everybody';

/** Three servers of one store, started and broken as one. */
export class StoreCluster {
  readonly members: readonly ClusterMember[];
  /** Addresses of all members, past all that is broken on the way of clients. */
  readonly hosts: readonly Host[];
  /** The same for `createCoordinator(url)`, without a namespace. */
  readonly url: string;
  readonly #kind: ClusterKind;
  readonly #network: Network;
  readonly #doors: readonly Door[];
  readonly #routes: Route[] = [];
  #routesMade = 0;

  /** @param doors between its members; they are the cluster's to close. */
  constructor(kind: ClusterKind, members: readonly ClusterMember[], network: Network, doors: readonly Door[]) {
    this.#kind = kind;
    this.members = members;
    this.#network = network;
    this.#doors = doors;
    this.hosts = members.map(({ door }) => door);
    this.url = `${kind.kind.scheme}://${this.hosts.map(({ host, port }) => `${host}:${String(port)}`).join(',')}`;
  }

  /** Everybody who sends and hears: members, and the clients' routes so far. */
  get parties(): readonly Party[] {
    return [...this.members, ...this.#routes];
  }

  /** Somebody who works on the store by hand, at the member that leads now. */
  async operator(): Promise<Operator> {
    return (await this.leader()).operator;
  }

  /**
   * The member that leads a majority, waited for 30 s unless another limit is given. One that was cut off may go on saying so for a
   * while: `except` waits for another.
   */
  leader({ except, withinMs = electionLimitMs }: LeaderOptions = {}): Promise<ClusterMember> {
    const members = this.members.filter((member) => member !== except);
    return until('the cluster has a leader', withinMs, async () => (await this.#kind.leader(members)) ?? undefined);
  }

  /** Which version its leader says it is, such as `3.4.23`. */
  async version(): Promise<string> {
    return this.#kind.version(await this.leader());
  }

  /** Those that do not lead. */
  async followers(): Promise<readonly ClusterMember[]> {
    const leader = await this.leader();
    return this.members.filter((member) => member !== leader);
  }

  /** Resolves when there is a leader and a write passed a quorum. */
  async serves(withinMs = electionLimitMs): Promise<void> {
    await until('a quorum takes a write', withinMs, async () => {
      const { operator } = await this.leader({ withinMs: 0 });
      await operator.write(probe.namespace, probe.key, Buffer.from('1'));
      return true;
    });
  }

  /** A client's way to every member. */
  async route(): Promise<Route> {
    this.#routesMade += 1;
    const name = `client-${String(this.#routesMade)}`;
    const doors = new Map<ClusterMember, Door>();
    const party = { name };
    for (const member of this.members) {
      const from = (): Party => party;
      doors.set(member, await Door.open({ network: this.#network, to: member, host: member.door, from }));
    }
    const route = new Route(name, this.#network, doors);
    this.#routes.push(route);
    return route;
  }

  /** `to` no longer hears from `from`; what is said the other way arrives. */
  silence(from: Party, to: Party): void {
    this.#network.set(from, to, { mode: 'hold' });
  }

  /** Nobody of one side hears from anybody of the other. */
  separate(one: readonly Party[], other: readonly Party[]): void {
    this.#between(one, other, { mode: 'hold' });
  }

  /** Ends {@link StoreCluster.separate} between these. */
  reunite(one: readonly Party[], other: readonly Party[]): void {
    this.#between(one, other, { mode: 'pass' });
  }

  /** Cuts a member off from the others, from every client, or from both. */
  isolate(member: ClusterMember, from: Apart = 'everybody'): void {
    const peers = this.members.filter((other) => other !== member);
    this.separate([member], [...(from === 'clients' ? [] : peers), ...(from === 'peers' ? [] : this.#routes)]);
  }

  /** Cuts off a client together with the members it is connected to; when these are a majority, with the first of them alone. */
  isolateWith(route: Route): readonly ClusterMember[] {
    const used = route.inUse;
    const minority = used.slice(0, 1);
    if (minority.length === 0) throw new Error(`${route.name} is connected to no member`);
    this.separate(
      [route, ...minority],
      this.members.filter((member) => !minority.includes(member)),
    );
    return minority;
  }

  /** Bytes from one party to another take this much longer, in milliseconds. */
  delay(from: Party, to: Party, delayMs: number): void {
    this.#network.set(from, to, { delayMs });
  }

  /** Ends every fault of the network. Servers that were frozen or killed stay so. */
  heal(): void {
    this.#network.heal();
  }

  /** Restarts one member after the other, the leader last, each when the one before serves. */
  async rollingRestart(): Promise<void> {
    const followers = await this.followers();
    const leader = this.members.filter((member) => !followers.includes(member));
    for (const member of [...followers, ...leader]) {
      await member.restart();
      await this.serves();
    }
  }

  /** Closes every route, ends the servers, and removes their data. */
  async stop(): Promise<void> {
    this.#network.close();
    await Promise.all([...this.#routes, ...this.#doors].map((each) => each.close()));
    await Promise.all(this.members.map((member) => member.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #between(one: readonly Party[], other: readonly Party[], change: Partial<Rule>): void {
    for (const here of one) {
      for (const there of other) {
        this.#network.set(here, there, change);
        this.#network.set(there, here, change);
      }
    }
  }
}

/** How to wait for a leader. */
export interface LeaderOptions {
  readonly except?: ClusterMember;
  readonly withinMs?: number;
}
