import type { ClusterMember, StoreCluster } from '@concordat/conformance/servers';
import type { Random } from '../random.js';
import type { Client } from '../run/client.js';
import type { Broken, Fault } from './fault.js';

type Pick = () => Promise<ClusterMember>;

/** Everything that is done to the servers, and to the network between them. One at a time: two of three have to be there. */
export function storeFaults(cluster: StoreCluster, clients: readonly Client[], random: Random): readonly Fault[] {
  const leader: Pick = () => cluster.leader();
  const follower: Pick = async () => random.pick(await cluster.followers());
  const others = (member: ClusterMember): readonly ClusterMember[] =>
    cluster.members.filter((other) => other !== member);
  const at = (
    name: string,
    pick: Pick,
    breakIt: (member: ClusterMember) => Promise<Broken['mend']> | Broken['mend'],
  ): Fault => ({
    name,
    begin: async () => {
      const member = await pick();
      return { on: [member.name], mend: await breakIt(member) };
    },
  });
  const freeze = async (member: ClusterMember): Promise<Broken['mend']> => {
    await member.freeze();
    return () => member.thaw();
  };
  const kill = async (member: ClusterMember): Promise<Broken['mend']> => {
    await member.kill();
    return () => member.start();
  };
  const isolate =
    (from: 'peers' | 'clients' | 'everybody') =>
    (member: ClusterMember): Broken['mend'] => {
      cluster.isolate(member, from);
      return () => cluster.reunite([member], cluster.parties);
    };
  const silence = (member: ClusterMember, isDeaf: boolean): Broken['mend'] => {
    for (const other of others(member)) {
      if (isDeaf) cluster.silence(other, member);
      else cluster.silence(member, other);
    }
    return () => cluster.reunite([member], others(member));
  };
  const slow = (member: ClusterMember): Broken['mend'] => {
    const delayMs = random.between(20, 150);
    const delay = (ms: number): void => {
      for (const other of others(member)) {
        cluster.delay(member, other, ms);
        cluster.delay(other, member, ms);
      }
    };
    delay(delayMs);
    return () => delay(0);
  };
  return [
    at('freeze the leader', leader, freeze),
    at('freeze a follower', follower, freeze),
    at('kill the leader', leader, kill),
    at('kill a follower', follower, kill),
    at('cut the leader off from its peers', leader, isolate('peers')),
    at('cut the leader off from clients', leader, isolate('clients')),
    at('cut the leader off', leader, isolate('everybody')),
    at('cut a follower off from its peers', follower, isolate('peers')),
    at('cut a follower off', follower, isolate('everybody')),
    at('nobody hears the leader', leader, (member) => silence(member, false)),
    at('a follower hears nobody', follower, (member) => silence(member, true)),
    at('slow peers', leader, slow),
    {
      name: 'leave a client with a minority',
      begin: async () => {
        const { route } = random.pick(clients.filter((client) => client.route.inUse.length > 0));
        const minority = cluster.isolateWith(route);
        const others = cluster.members.filter((member) => !minority.includes(member));
        return { on: minority.map(({ name }) => name), mend: () => cluster.reunite([route, ...minority], others) };
      },
    },
    {
      name: 'restart all, one by one',
      begin: async () => ({ on: cluster.members.map(({ name }) => name), mend: () => cluster.rollingRestart() }),
    },
    at('a follower loses its data', follower, async (member) => {
      await member.kill();
      return () => member.wipe();
    }),
  ];
}
