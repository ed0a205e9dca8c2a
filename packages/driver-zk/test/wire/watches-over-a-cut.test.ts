import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { call, connected } from '../support/open.js';
import { TestServer } from '../support/server.js';
import { endSession } from '../support/stranger.js';
import { openPair, type Pair, put, shown, unlink, watchedPaths } from './support/watching.js';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Cuts the link, lets `act` happen while it is down, and waits until the session goes on. */
async function cutWhile({ proxy, watcher }: Pair, act: () => Promise<unknown>): Promise<void> {
  proxy.hold();
  proxy.flap();
  await eventually(() => watcher.session.state.state === 'suspended');
  await act();
  proxy.release();
  proxy.flap();
  await connected(watcher);
}

describe('watches over a cut', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('cost a read where something changed, and nothing where nothing did', async () => {
    const pair = await openPair(server);
    const { watcher, writer } = pair;
    const kinds = ['changed', 'deleted', 'unlinked', 'again', 'created'] as const;
    const keyOf = (index: number) => `config/two-thousand/${String(index)}`;
    // Some of each kind, far apart; all others stay as they are.
    const kindOf = (index: number) => (index % 100 < kinds.length ? kinds[index % 100] : null);
    const all = numbers(2_000);
    await Promise.all(
      all.filter((index) => kindOf(index) !== 'created').map((index) => put(writer, keyOf(index), '1')),
    );
    const streams = all.map((index) => shown(watcher, keyOf(index)));
    await eventually(() => streams.every(({ values }) => values.length === 1));
    const { requests } = watcher.backend.traffic;

    const acts: Record<(typeof kinds)[number], (key: string) => Promise<unknown>> = {
      changed: (key) => put(writer, key, '2'),
      deleted: (key) => writer.backend.delete(key, {}, call()),
      unlinked: (key) => unlink(writer, key),
      again: (key) => unlink(writer, key).then(() => put(writer, key, '1')),
      created: (key) => put(writer, key, '2'),
    };
    await cutWhile(pair, () =>
      Promise.all(
        all.map(async (index) => {
          const kind = kindOf(index);
          if (kind) await acts[kind](keyOf(index));
        }),
      ),
    );

    const expected = {
      changed: ['1', '2'],
      deleted: ['1', null],
      unlinked: ['1', null],
      again: ['1', '1'],
      created: [null, '2'],
    };
    const expectedOf = (index: number) => expected[kindOf(index) ?? 'changed'];
    await eventually(() => all.every((index) => kindOf(index) === null || streams[index]?.values.length === 2));
    // Answered behind whatever else was read.
    await watcher.backend.get('config/two-thousand/0', 'linearizable', call());
    const isSame = (index: number) => kindOf(index) === null;
    for (const index of all)
      expect([index, streams[index]?.values]).toEqual([index, isSame(index) ? ['1'] : expectedOf(index)]);
    // One read for each that changed; where the node is missing, a second one for its creation; and the one above.
    const perKind = 20;
    expect(watcher.backend.traffic.requests - requests).toBe(kinds.length * perKind + perKind + 1);
    expect(watcher.session.epoch).toBe(1);
  });

  it('survive it where their paths are far beyond the limit of a request, 20,000 of them', async () => {
    const pair = await openPair(server);
    const { watcher, writer } = pair;
    const keyOf = (index: number) => `config/twenty-thousand/${'path'.repeat(12)}-${String(index)}`;
    const streams = numbers(20_000).map((index) => shown(watcher, keyOf(index)));
    await eventually(() => streams.every(({ values }) => values.length === 1), 20_000);
    const { requests } = watcher.backend.traffic;
    const created = [0, 1, 7_000, 19_998, 19_999];
    await cutWhile(pair, () => Promise.all(created.map((index) => put(writer, keyOf(index), 'here'))));
    await eventually(() => created.every((index) => streams[index]?.values.length === 2));
    expect(created.map((index) => streams[index]?.values)).toEqual(created.map(() => [null, 'here']));
    expect(watcher.backend.traffic.requests - requests).toBe(created.length);
    const paths = await watchedPaths(server);
    expect(paths.filter((path) => path.includes('twenty-thousand'))).toHaveLength(20_000);
    expect(watcher.session.epoch).toBe(1);
    for (const stream of streams) stream.stop();
  });

  it('read everything again in a new session, and show what changed alone', async () => {
    const pair = await openPair(server);
    const { watcher, writer } = pair;
    const keyOf = (index: number) => `config/new-session/${String(index)}`;
    await Promise.all(numbers(100).map((index) => put(writer, keyOf(index), '1')));
    const streams = numbers(100).map((index) => shown(watcher, keyOf(index)));
    await eventually(() => streams.every(({ values }) => values.length === 1));
    await endSession(server, watcher);
    await put(writer, keyOf(5), '2');
    await eventually(() => watcher.session.epoch === 2 && watcher.session.state.state === 'connected');
    await eventually(() => streams[5]?.values.length === 2);
    await put(writer, keyOf(99), '3');
    await eventually(() => streams[99]?.values.length === 2);
    const values = numbers(100).map((index) => streams[index]?.values);
    expect(values).toEqual(numbers(100).map((index) => (index === 5 ? ['1', '2'] : index === 99 ? ['1', '3'] : ['1'])));
  });
});
