import type { Clock, CoordinationError } from '@concordat/core/spi';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Connection, Failure, NodeStat } from '../src/connection.js';
import { Entries } from '../src/entries.js';
import { Paths } from '../src/keys.js';
import type { PathTable } from '../src/path-table.js';
import type { SessionKeeper } from '../src/session-keeper.js';

const stat: NodeStat = { created: 30n, modified: 30n, version: 0, owner: '1', dataLength: 1 };
const throttled: Failure = { ok: false, code: 'other', message: 'the operation was throttled' };

describe('a server that does not list', () => {
  let name: string;
  let deleted: Answer<null>[];
  let answers: boolean[];
  let pauses: number[];
  let beat: (connection: Connection) => void;
  let entries: Entries;
  let connection: Connection;

  beforeEach(() => {
    [deleted, answers, pauses] = [[], [], []];
    const parts: Partial<Connection> = {
      usable: true,
      identity: { id: '1', password: '' },
      create: async (path) => {
        name = `${path}0000000001`;
        return { ok: true, value: { path: name, stat } };
      },
      children: async () =>
        answers.shift() === true
          ? { ok: true, value: { names: [name.slice(name.lastIndexOf('/') + 1)], changed: 30n } }
          : throttled,
      delete: async () => deleted.shift() ?? { ok: true, value: null },
    };
    connection = parts as Connection;
    const keeper = {
      use: () => connection,
      attached: async () => connection,
      heartbeat: { onBeat: (listener: typeof beat) => (beat = listener) },
      parents: { under: (_connection: Connection, _path: string, _mode: string, work: () => unknown) => work() },
    };
    const table: Pick<PathTable, 'arm'> = { arm: async () => ({ ok: true, value: { stat, data: new Uint8Array(1) } }) };
    const clock: Pick<Clock, 'setTimer'> = {
      setTimer: (callback, delayMs) => {
        pauses.push(delayMs);
        queueMicrotask(callback);
        return { cancel: () => undefined };
      },
    };
    entries = new Entries(keeper as unknown as SessionKeeper, table as PathTable, new Paths('ns'), clock as Clock);
  });

  const enter = (signal: AbortSignal) =>
    entries.enter('lock/a', 'lock', new Uint8Array(1), { limit: 1 }, { epoch: 1, signal });

  it('is asked again after a growing pause, until it does', async () => {
    answers = [false, false, false, true];
    expect(await enter(new AbortController().signal)).toMatchObject({ entry: { created: 30n }, ahead: [] });
    expect(pauses).toHaveLength(3);
  });

  it('is asked no more when the caller has gone, whose entry is taken away', async () => {
    const caller = new AbortController();
    const entering = enter(caller.signal);
    deleted = [throttled];
    caller.abort();
    await expect(entering).rejects.toMatchObject({ code: 'UNAVAILABLE' } satisfies Partial<CoordinationError>);
    // By the heartbeats, where that was not answered either.
    answers = [true];
    deleted = [{ ok: true, value: null }];
    beat(connection);
    await expect.poll(() => deleted).toEqual([]);
  });
});
