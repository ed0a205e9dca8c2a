import type { CoordinatorOptions } from '@concordat/core';
import type { Driver } from '@concordat/core/spi';

/**
 * What a driver brings to the suite: itself, and a store that the suite may break.
 *
 * The suite never asks which driver it is; what differs is said by the driver's capabilities.
 */
export interface Harness {
  /** Printed in front of each test. */
  readonly name: string;
  /** What is tested. */
  readonly driver: Driver;
  /** Session timeout that the suite's coordinators ask for, in milliseconds; the store has to grant it. */
  readonly sessionTimeoutMs: number;
  /** Options only this driver has, by name. */
  readonly driverOptions?: Readonly<Record<string, string>>;
  /** What the lock costs on the wire with this driver; the suite counts it. */
  readonly costs: Costs;
  /** Starts a store of its own. An unreachable store is a failure, never a skip. */
  start(): Promise<World>;
}

/** What the steps of a lock cost one client on the wire, whatever the number of waiters. */
export interface Costs {
  /** A free lock whose directory is there. */
  readonly acquire: WireCounts;
  /** From the call until the entry is gone. */
  readonly release: WireCounts;
  /** The next waiter, from the release before it until it is granted, its watch ended. */
  readonly handOver: WireCounts;
  /** Notifications of all sessions together when a permit changes hands: 5 unless given; where watches cannot be taken back, one more. */
  readonly permitNotifications?: number;
}

/** A running store. */
export interface World {
  /** A way to the store for one client, which can be broken without harm to others. */
  link(): Promise<Link>;
  /** Breaks the store for everybody. */
  readonly server: ServerControl;
  /** Somebody who works on the store by hand. */
  readonly operator: Operator;
  /** Ends every process and socket of this store. */
  stop(): Promise<void>;
}

/** The one way of one client to the store. */
export interface Link {
  /** Options that lead a coordinator over this link: `hosts`, or `storeName`. */
  readonly options: Pick<CoordinatorOptions, 'hosts' | 'storeName'>;
  /** Closes every connection and refuses new ones. */
  cut(): void;
  /** Closes every connection once; new ones are welcome. */
  flap(): void;
  /** Swallows everything in both directions; connections seem to stand, and new ones are accepted. */
  blackhole(): void;
  /** Requests reach the store, replies are swallowed; new connections are accepted and treated the same. */
  swallowReplies(): void;
  /** Keeps what the client sends, to be delivered by {@link Link.deliverHeld} even after the client gave up. */
  holdRequests(): void;
  /** Cuts the client's side, then delivers what was held on its old connections, late; the link is healed for new ones. */
  deliverHeld(): Promise<void>;
  /** Ends every fault. Connections that swallowed bytes are closed, since they cannot be continued. */
  heal(): void;
  /** What went over this link, counted at the wire. */
  readonly wire: WireCounts;
  /** Ends the link and every connection on it. */
  close(): Promise<void>;
}

/** Counted from the bytes on the link. */
export interface WireCounts {
  /** Requests of the client, keep-alives and the opening of connections and streams left out. */
  readonly requests: number;
  /** Requests that change something. */
  readonly writes: number;
  /** Unasked messages of the store that tell of a change. */
  readonly notifications: number;
}

/** Breaks the store as a whole. */
export interface ServerControl {
  /** Stops it in its tracks; connections stay, nothing answers. To be awaited: a container engine takes a moment. */
  freeze(): void | Promise<void>;
  /** Lets it go on after {@link ServerControl.freeze}. */
  thaw(): void | Promise<void>;
  /** Ends it hard; its data stays. */
  kill(): Promise<void>;
  /** Starts it again after {@link ServerControl.kill}, on the same address with the same data. */
  start(): Promise<void>;
  /** Kills it, throws its data away and starts it again on the same address. */
  wipe(): Promise<void>;
  /** Copies its data as it is at one moment, while its connections stand. */
  backUp(): Promise<Backup>;
}

/** A copy of a store's data. */
export interface Backup {
  /** Kills the store, puts the copy in the place of its data, and starts it again on the same address. Resolves when it serves. */
  restore(): Promise<void>;
}

/** Somebody else with direct access to the store: looks, deletes by hand, ends sessions. */
export interface Operator {
  /** Every key that exists below a namespace, relative to it, directories and sessions' own entries included. */
  keys(namespace: string): Promise<readonly string[]>;
  /** Names of the entries in a directory such as `lock/a`, oldest first; an absent directory is empty. */
  entries(namespace: string, dir: string): Promise<readonly string[]>;
  /** Deletes one entry by hand. */
  deleteEntry(namespace: string, dir: string, name: string): Promise<void>;
  /** Writes a register's raw bytes by hand. */
  write(namespace: string, key: string, value: Uint8Array): Promise<void>;
  /** Ends a session on the store, as an expiry or a revoke would. `id` is what `session$` shows. */
  expireSession(id: string): Promise<void>;
  /** Writes elsewhere in the store, as fast as it answers, until stopped. */
  writeSteadily(): Promise<() => Promise<void>>;
}
