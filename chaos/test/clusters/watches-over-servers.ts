import type { ClusterMember, Route, StoreCluster } from '@concordat/conformance/servers';
import type { ConfigState, Coordinator, Members } from 'concordat';
import { describe, expect, it } from 'vitest';
import { coordinatorAt } from './holders.js';

const moves = 6;
/** Who goes from one member to another. */
interface Moving {
  readonly cluster: StoreCluster;
  readonly route: Route;
  readonly watcher: Coordinator;
}

/** Cuts the client off from the member that it uses, lets `missed` happen meanwhile, and resolves with the one that it uses then. */
async function moveOn(
  { cluster, route, watcher }: Moving,
  missed: () => Promise<unknown>,
): Promise<ClusterMember | undefined> {
  const [used] = route.inUse;
  if (used === undefined) throw new Error('it is connected to no member');
  route.cut();
  route.flap();
  await missed();
  route.heal();
  cluster.separate([route], [used]);
  route.flap();
  await expect.poll(() => route.inUse.some((member) => member !== used), { timeout: 20_000 }).toBe(true);
  await watcher.config('x').get({ timeoutMs: 20_000 });
  const [next] = route.inUse.filter((member) => member !== used);
  cluster.reunite([route], [used]);
  return next;
}

/** What one writer wrote: every version of a value, and everybody who ever joined or stayed. */
interface Written {
  readonly versions: ReadonlySet<bigint | undefined>;
  readonly joined: ReadonlySet<string>;
  readonly there: readonly string[];
}

/** Writes a value, and lets members come and go, for as long as `meanwhile` takes. */
async function writeWhile(writer: Coordinator, meanwhile: () => Promise<void>): Promise<Written> {
  const versions = new Set<bigint | undefined>([undefined]);
  const joined = new Set<string>();
  const there: string[] = [];
  const over = new AbortController();
  const ended = meanwhile().finally(() => over.abort());
  for (let round = 0; !over.signal.aborted; round += 1) {
    versions.add(await writer.config('x').set(round));
    const id = `m${String(round)}`;
    joined.add(id);
    const membership = await writer.group('g').join(id, round);
    if (round % 20 === 0) there.push(id);
    else await membership.leave();
  }
  await ended;
  return { versions, joined, there: there.sort() };
}

/** The tests of a client that goes from one server to another. */
export function watchesOverServers(scheme: string, start: () => Promise<StoreCluster>): void {
  describe(`${scheme}: a client goes from one member to another, beside a writer`, () => {
    it('its watches lose no last state and invent none, also in a new session', { timeout: 120_000 }, async () => {
      const cluster = await start();
      const options = { scheme, namespace: 'moving', sessionTimeoutMs: 12_000 };
      const route = await cluster.route();
      const watcher = coordinatorAt(route, cluster.members, options);
      const writer = coordinatorAt(await cluster.route(), cluster.members, options);
      try {
        await Promise.all([watcher.ready(), writer.ready()]);
        const values: ConfigState<unknown>[] = [];
        const groups: Members<unknown>[] = [];
        let session: { readonly id: string | null; readonly epoch: number } = { id: null, epoch: 0 };
        watcher.config('x').value$.subscribe((state) => values.push(state));
        watcher.group('g').members$.subscribe((state) => groups.push(state));
        watcher.session$.subscribe((state) => {
          session = state;
        });
        const visited = new Set<ClusterMember | undefined>();
        const missed = Array.from({ length: moves + 1 }, (_, move) => `missed/${String(move)}`);
        const caughtUp: unknown[] = missed.map(() => undefined);
        for (const [move, path] of missed.entries())
          watcher.config(path).value$.subscribe(({ value }) => {
            caughtUp[move] = value;
          });
        const move = async (number: number): Promise<void> => {
          const path = missed[number] ?? '';
          visited.add(await moveOn({ cluster, route, watcher }, () => writer.config(path).set('written once')));
          await expect.poll(() => caughtUp[number], { timeout: 20_000 }).toBe('written once');
        };
        const { versions, joined, there } = await writeWhile(writer, async () => {
          for (let number = 0; number < moves; number += 1) await move(number);
          expect(session.epoch).toBe(1);
          await (await cluster.operator()).expireSession(String(session.id));
          await expect.poll(() => session.epoch, { timeout: 20_000 }).toBe(2);
          await move(moves);
        });
        expect(visited.size).toBeGreaterThan(1);
        const last = await writer.config('x').get();
        await expect
          .poll(() => values.at(-1), { timeout: 20_000 })
          .toMatchObject({ version: last?.version, stale: false });
        const shown = values.map(({ version }) => version);
        expect(shown.filter((version) => !versions.has(version))).toEqual([]);
        const known = shown.filter((version) => version !== undefined);
        expect(known).toEqual([...known].sort((one, other) => Number(one - other)));
        const lists = (): (readonly string[])[] => groups.map(({ members }) => members.map(({ id }) => id));
        await expect.poll(() => lists().at(-1), { timeout: 20_000 }).toEqual(there);
        expect(
          lists()
            .flat()
            .filter((id) => !joined.has(id)),
        ).toEqual([]);
      } finally {
        await Promise.all([watcher.close(), writer.close()]);
        await cluster.stop();
      }
    });
  });
}
