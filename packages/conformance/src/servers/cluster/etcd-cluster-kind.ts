import type { Host } from '@concordat/core/spi';
import { etcdInstallation, etcdKind } from '../etcd-kind.js';
import { until } from '../until.js';
import type { ClusterKind, Seat } from './cluster-kind.js';
import { EtcdAdministration, type EtcdStanding } from './etcd-administration.js';
import type { ClusterMember } from './member.js';

const changeLimitMs = 30_000;

/** Three etcd servers; one port for peers carries Raft, forwarded renewals and questions between members. */
export function etcdClusterKind(flags: Readonly<Record<string, string>>): ClusterKind {
  return {
    kind: etcdKind,
    services: [{ doorPer: 'none' }],
    installation: (seat, seats, wiped) => etcdInstallation({ flags: { ...memberFlags(seat, seats, wiped), ...flags } }),
    readmit,
    leader,
    version: async ({ door }) => (await new EtcdAdministration(door).standing()).version,
  };
}

function memberFlags(seat: Seat, seats: readonly Seat[], wiped: boolean): Record<string, string> {
  return {
    'listen-peer-urls': `http://127.0.0.1:${String(seat.places[0]?.port)}`,
    'initial-advertise-peer-urls': peerUrl(seat),
    'initial-cluster': seats.map((each) => `${each.directory.root}=${peerUrl(each)}`).join(','),
    'initial-cluster-token': seats[0]?.directory.root ?? '',
    'initial-cluster-state': wiped ? 'existing' : 'new',
  };
}

// Members have to agree on it: it makes up their identity.
function peerUrl(seat: Seat): string {
  const [door] = seat.places[0]?.doors.values() ?? [];
  return `http://127.0.0.1:${String(door)}`;
}

/**
 * Whoever comes back with nothing may not vote again as the one that voted before: it is taken out, and another is let in.
 *
 * etcd does neither while it holds the cluster for unhealthy, such as in the five seconds after an election.
 */
async function readmit(seat: Seat, others: readonly ClusterMember[]): Promise<void> {
  await until('another member is let in', changeLimitMs, async () => {
    const member = await leader(others);
    if (member === null) return undefined;
    await new EtcdAdministration(member.door).replace(peerUrl(seat));
    return true;
  });
}

async function leader(members: readonly ClusterMember[]): Promise<ClusterMember | null> {
  const standings = await Promise.all(members.map(async (member) => ({ member, said: await ask(member.door) })));
  const known = standings.flatMap(({ member, said }) => (said === null ? [] : [{ member, said }]));
  const leading = known
    .filter(({ said }) => said.leader === said.id)
    .filter(({ said }) => known.filter((other) => agree(said, other.said)).length >= 2)
    .sort((one, other) => (one.said.term < other.said.term ? 1 : -1));
  return leading[0]?.member ?? null;
}

function agree(leading: EtcdStanding, other: EtcdStanding): boolean {
  return other.leader === leading.id && other.term === leading.term;
}

function ask(door: Host): Promise<EtcdStanding | null> {
  return new EtcdAdministration(door).standing().catch(() => null);
}
