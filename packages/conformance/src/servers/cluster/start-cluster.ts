import { type Command, ServerProcess } from '../server-process.js';
import type { ClusterKind, Seat } from './cluster-kind.js';
import { etcdClusterKind } from './etcd-cluster-kind.js';
import { layOut, type WhoCalls } from './layout.js';
import { ClusterMember } from './member.js';
import { Network } from './network.js';
import { canTellOwners, ownerOf } from './socket-owner.js';
import { StoreCluster } from './store-cluster.js';
import { zooKeeperClusterKind } from './zookeeper-cluster-kind.js';

const numbers = [1, 2, 3];
const startLimitMs = 60_000;

/** What the servers of a cluster can be told. */
export interface ClusterOptions {
  /** More of etcd's command line, without the dashes, or lines of `zoo.cfg`, over what is said here; the same for every member. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts three etcd servers as one cluster; resolves when it has a leader and a quorum took a write.
 *
 * Only an installed program will do, and only on Linux: the members reach each other by way of this process, which has to tell who
 * is calling. Rejects with the remedy, never skips.
 */
export async function startEtcdCluster({ settings = {} }: ClusterOptions = {}): Promise<StoreCluster> {
  if (!canTellOwners)
    throw new Error('etcd can be a cluster on Linux only: elsewhere nobody tells which member is calling');
  return start(etcdClusterKind(settings));
}

/** The same for ZooKeeper, on any system. */
export function startZooKeeperCluster({ settings = {} }: ClusterOptions = {}): Promise<StoreCluster> {
  return start(zooKeeperClusterKind(settings));
}

async function start(kind: ClusterKind): Promise<StoreCluster> {
  const network = new Network();
  const members: ClusterMember[] = [];
  const whoCalls: WhoCalls = (socket) => {
    const running = new Map(members.flatMap((member) => (member.pid === null ? [] : [[member.pid, member] as const])));
    const pid = ownerOf(socket, [...running.keys()]);
    return pid === null ? null : (running.get(pid) ?? null);
  };
  const parties = numbers.map((number) => ({ name: `${kind.kind.name}-${String(number)}` }));
  const { seats, doors } = await layOut(kind, parties, network, whoCalls);
  members.push(...seats.map((seat) => memberOf(kind, seat, seats, members)));
  const cluster = new StoreCluster(kind, members, network, doors);
  try {
    for (const { directory } of seats) await directory.empty();
    await Promise.all(members.map((member) => member.start()));
    await cluster.serves(startLimitMs);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** @param members all of them, by the time that one of them loses its data. */
function memberOf(
  kind: ClusterKind,
  seat: Seat,
  seats: readonly Seat[],
  members: readonly ClusterMember[],
): ClusterMember {
  const { directory, number, clientPort } = seat;
  const command = async (wiped: boolean): Promise<Command> => {
    const installation = await kind.installation(seat, seats, wiped);
    if (installation !== null) return installation.prepare(directory, { client: clientPort, door: clientPort });
    const { name, packages } = kind.kind;
    throw new Error(
      `No ${name} on this machine to make a cluster of: apt-get install --no-install-recommends ${packages}`,
    );
  };
  return new ClusterMember({
    kind: kind.kind,
    number,
    door: { host: '127.0.0.1', port: clientPort },
    directory,
    server: new ServerProcess(directory),
    prepare: () => command(false),
    readmit: async () => {
      await kind.readmit(
        seat,
        members.filter((member) => member.number !== number),
      );
      return command(true);
    },
  });
}
