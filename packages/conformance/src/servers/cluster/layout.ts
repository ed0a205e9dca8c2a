import type { Socket } from 'node:net';
import { DataDirectory } from '../data-directory.js';
import { freePort } from '../ports.js';
import type { ClusterKind, Place, Seat, Service } from './cluster-kind.js';
import { Door } from './door.js';
import type { Network, Party } from './network.js';

// A member of ZooKeeper calls a new leader that does not listen yet: refused, it would try again; cut off, it starts another election.
const patienceMs = 1_000;

/** Who holds the other end of a connection; `null` when nobody of the cluster does. */
export type WhoCalls = (socket: Socket) => Party | null;

/** Seats for servers, and the doors between them. */
export interface Layout {
  readonly seats: readonly Seat[];
  readonly doors: readonly Door[];
}

/** Chooses ports and folders, and opens every door. */
export async function layOut(
  kind: ClusterKind,
  parties: readonly Party[],
  network: Network,
  whoCalls: WhoCalls,
): Promise<Layout> {
  const doors: Door[] = [];
  const openDoors = async (to: Party, { doorPer, opening }: Service): Promise<Place> => {
    const port = await freePort();
    const openDoor = async (from: WhoCalls): Promise<number> => {
      const door = await Door.open({
        network,
        to,
        host: { host: '127.0.0.1', port },
        from,
        patienceMs,
        ...(opening && { opening }),
      });
      doors.push(door);
      return door.host.port;
    };
    const shared = doorPer === 'none' ? await openDoor(whoCalls) : null;
    const places = new Map<number, number>();
    for (const [index, caller] of parties.entries()) {
      if (caller !== to) places.set(index + 1, shared ?? (await openDoor(() => caller)));
    }
    return { port, doors: places };
  };
  const seats: Seat[] = [];
  for (const [index, party] of parties.entries()) {
    const places = [];
    for (const service of kind.services) places.push(await openDoors(party, service));
    const directory = new DataDirectory(kind.kind.name);
    seats.push({ number: index + 1, directory, clientPort: await freePort(), places });
  }
  return { seats, doors };
}
