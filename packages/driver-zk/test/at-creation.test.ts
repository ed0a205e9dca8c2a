import type { Clock, Place } from '@concordat/core/spi';
import { expect, it } from 'vitest';
import type { Connection, NodeStat } from '../src/connection.js';
import { Entries } from '../src/entries.js';
import { Paths } from '../src/keys.js';
import type { PathTable } from '../src/path-table.js';
import type { SessionKeeper } from '../src/session-keeper.js';

const created = 30n;
const stat: NodeStat = { created, modified: created, version: 0, owner: '1', dataLength: 1 };
const others = ['_c_00000000-0000-0000-0000-000000000000-lease:2:0000000001'];

/** Entries of a session whose next flight of creating and listing is answered so: with the directory last changed by `changed`. */
function entriesWith(changed: bigint): Entries {
  let mine = '';
  const parts: Partial<Connection> = {
    create: async (path) => {
      mine = `${path}0000000002`;
      return { ok: true, value: { path: mine, stat } };
    },
    children: async () => ({ ok: true, value: { names: [...others, mine.slice(mine.lastIndexOf('/') + 1)], changed } }),
  };
  const connection = parts as Connection;
  const keeper = {
    use: () => connection,
    heartbeat: { onBeat: () => undefined },
    parents: { under: (_connection: Connection, _path: string, _mode: string, work: () => unknown) => work() },
  };
  return new Entries(keeper as unknown as SessionKeeper, {} as PathTable, new Paths('ns'), {} as Clock);
}

async function placeWith(changed: bigint): Promise<Place> {
  const context = { epoch: 1, signal: new AbortController().signal };
  const place = await entriesWith(changed).enter('sem/a', 'lease:2', new Uint8Array(1), { limit: 2 }, context);
  expect(place.entry.created).toBe(created);
  expect(place.ahead).toHaveLength(1);
  return place;
}

it('SEM-34 shows a place as at its creation when nobody came or went since', async () => {
  expect(await placeWith(created)).toMatchObject({ atCreation: true });
});

it('SEM-34 does not when somebody came or went before it was listed', async () => {
  expect(await placeWith(created + 2n)).toMatchObject({ atCreation: false });
});
