import type { StoreCluster } from '@concordat/conformance/servers';
import type { Random } from '../random.js';
import type { Client } from '../run/client.js';
import type { Broken, Fault } from './fault.js';

/** Everything that is done to one client: to its process, and to its way to the store. The servers stay whole. */
export function clientFaults(
  cluster: StoreCluster,
  clients: readonly Client[],
  random: Random,
  leader: () => string | undefined,
): readonly Fault[] {
  // Every other time whoever leads the application: that is what others have to notice.
  const pick = (): Client => {
    const running = clients.filter(({ isRunning }) => isRunning);
    // Drawn in any case: what the seed decides next must not depend on who leads.
    const anybody = random.pick(running);
    const leading = random.chance(0.5) ? running.find(({ name }) => name === leader()) : undefined;
    return leading ?? anybody;
  };
  const at = (name: string, breakIt: (client: Client) => Promise<Broken['mend']> | Broken['mend']): Fault => ({
    name,
    begin: async () => {
      const client = pick();
      const { name: on } = client;
      return { on: [on], mend: await breakIt(client) };
    },
  });
  const healing =
    (breakIt: (client: Client) => void) =>
    (client: Client): Broken['mend'] => {
      breakIt(client);
      return () => cluster.reunite([client.route], cluster.members);
    };
  return [
    at('stop a client', (client) => {
      client.stop();
      return () => client.continue();
    }),
    at('kill a client', async (client) => {
      await client.kill();
      return () => client.start();
    }),
    at(
      'cut a client off',
      healing(({ route }) => route.cut()),
    ),
    at(
      'lose the replies to a client',
      healing(({ route }) => route.loseReplies()),
    ),
    at('close the connections of a client', ({ route }) => {
      route.flap();
      return () => undefined;
    }),
    at('slow way to a client', ({ route }) => {
      route.delay(random.between(20, 300));
      return () => route.delay(0);
    }),
  ];
}
