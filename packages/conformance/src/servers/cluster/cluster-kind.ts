import type { DataDirectory } from '../data-directory.js';
import type { Installation, StoreKind } from '../store-kind.js';
import type { Opening } from './flow.js';
import type { ClusterMember } from './member.js';

/** One thing that members open a port for, to each other. */
export interface Service {
  /**
   * `caller`: each of the others is told a door of its own, so that the door says who is calling. `none`: all have to be told the
   * same one, and the kernel says who is calling, on Linux alone.
   */
  readonly doorPer: 'caller' | 'none';
  /** What connections begin with is passed through this. */
  readonly opening?: () => Opening;
}

/** Where a service of one member is. */
export interface Place {
  /** Where it listens. */
  readonly port: number;
  /** In front of that, by the number of the member that calls. */
  readonly doors: ReadonlyMap<number, number>;
}

/** One server as its cluster is laid out. */
export interface Seat {
  readonly number: number;
  readonly directory: DataDirectory;
  readonly clientPort: number;
  readonly places: readonly Place[];
}

/** What a cluster has to know about one kind of store. */
export interface ClusterKind {
  readonly kind: StoreKind;
  readonly services: readonly Service[];
  /** The program for one seat; `null` when there is none on this machine. */
  installation(seat: Seat, seats: readonly Seat[], wiped: boolean): Promise<Installation | null>;
  /** Tells the others that one comes back without its data. */
  readmit(seat: Seat, others: readonly ClusterMember[]): Promise<void>;
  /** The member that leads a majority, by its own word and theirs; the newest when several say so. */
  leader(members: readonly ClusterMember[]): Promise<ClusterMember | null>;
  /** Which version a member says it is, such as `3.4.23`. */
  version(member: ClusterMember): Promise<string>;
}
