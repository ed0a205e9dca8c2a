import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fourLetterWord } from '../four-letter-word.js';
import { zooKeeperInstallation } from '../zookeeper-installation.js';
import { zooKeeperKind } from '../zookeeper-kind.js';
import type { ClusterKind, Seat } from './cluster-kind.js';
import { electionOpening } from './election-opening.js';
import type { ClusterMember } from './member.js';

const epochShift = 32n;
// In ticks of half a second: how long a member may take to join, and how long it may be out of touch.
const limits = { initLimit: '20', syncLimit: '4' };

/** Three ZooKeeper servers; one port for what leader and followers say, another for elections. */
export function zooKeeperClusterKind(configuration: Readonly<Record<string, string>>): ClusterKind {
  return {
    kind: zooKeeperKind,
    services: [{ doorPer: 'caller' }, { doorPer: 'caller', opening: electionOpening }],
    installation: async (seat, seats) => {
      const servers = Object.fromEntries(
        seats.map((each) => [`server.${String(each.number)}`, serverLine(each, seat)]),
      );
      const installation = await zooKeeperInstallation({ configuration: { ...limits, ...servers, ...configuration } });
      if (installation === null) return null;
      const prepare: typeof installation.prepare = async (directory, ports) => {
        await writeFile(join(directory.data, 'myid'), String(seat.number));
        return installation.prepare(directory, ports);
      };
      return { ...installation, prepare };
    },
    readmit: () => Promise.resolve(),
    leader,
    version,
  };
}

// It listens where its own line says; the others have to come by the doors.
function serverLine(of: Seat, seenBy: Seat): string {
  const [peers, elections] = of.places.map(({ port, doors }) => doors.get(seenBy.number) ?? port);
  return `127.0.0.1:${String(peers)}:${String(elections)}`;
}

async function leader(members: readonly ClusterMember[]): Promise<ClusterMember | null> {
  const found = await Promise.all(members.map(async (member) => ({ member, epoch: await leads(member) })));
  const leading = found.flatMap(({ member, epoch }) => (epoch === null ? [] : [{ member, epoch }]));
  leading.sort((one, other) => (one.epoch < other.epoch ? 1 : -1));
  return leading[0]?.member ?? null;
}

async function version({ door }: ClusterMember): Promise<string> {
  const state = await fourLetterWord(door, 'srvr');
  const said = /Zookeeper version: (\d+\.\d+\.\d+)/.exec(state)?.[1];
  if (said === undefined) throw new Error(`ZooKeeper does not say which version it is: ${state}`);
  return said;
}

/** The epoch in which it leads at least one other member; `null` when it does not. */
async function leads({ door }: ClusterMember): Promise<bigint | null> {
  try {
    const [state, figures] = [await fourLetterWord(door, 'srvr'), await fourLetterWord(door, 'mntr')];
    const followers = Number(/zk_synced_followers\s+(\d+)/.exec(figures)?.[1] ?? 0);
    const zxid = /Zxid: (0x[0-9a-f]+)/.exec(state)?.[1];
    return /Mode: leader/.test(state) && followers > 0 && zxid !== undefined ? BigInt(zxid) >> epochShift : null;
  } catch {
    return null;
  }
}
