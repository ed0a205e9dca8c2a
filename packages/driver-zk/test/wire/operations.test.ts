import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Channel } from '../../src/wire/channel.js';
import {
  check,
  create,
  exists,
  getChildren,
  getData,
  multi,
  remove,
  setData,
  sync,
} from '../../src/wire/operations.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none, open } from './support/answers.js';
import { dialled } from './support/dialling.js';

describe('operations', () => {
  let server: TestServer;
  let channel: Channel;
  let root: string;
  let rooms = 0;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ channel } = await dialled(server.port));
    rooms += 1;
    root = `/room-${String(rooms)}`;
    await good(channel.ask(create(root, bytes('0'), 'persistent', open)));
  });

  it('delete takes the version that is there, or any, and a node without children alone', async () => {
    await good(channel.ask(create(`${root}/child`, none, 'persistent', open)));
    expect(await codeOf(channel.ask(remove(root, 'any')))).toBe('not-empty');
    expect(await codeOf(channel.ask(remove(`${root}/child`, 1)))).toBe('bad-version');
    expect(await good(channel.ask(remove(`${root}/child`, 0)))).toBeNull();
    expect(await codeOf(channel.ask(remove(`${root}/child`, 'any')))).toBe('no-node');
    await good(channel.ask(remove(root, 'any')));
    expect(await codeOf(channel.ask(exists(root, false)))).toBe('no-node');
  });

  it('setData compares versions, counts them up, and tells the transaction that wrote', async () => {
    const before = await good(channel.ask(exists(root, false)));
    const first = await good(channel.ask(setData(root, bytes('one'), 0)));
    expect(first).toMatchObject({ version: 1, created: before.created, dataLength: 3, owner: null });
    expect(first.modified).toBeGreaterThan(before.modified);
    expect(first.modified).toBe(channel.seen);
    expect(await codeOf(channel.ask(setData(root, bytes('two'), 0)))).toBe('bad-version');
    expect(await good(channel.ask(setData(root, none, 'any')))).toMatchObject({ version: 2, dataLength: 0 });
    expect(await good(channel.ask(getData(root, false)))).toMatchObject({ data: none, stat: { version: 2 } });
    expect(await codeOf(channel.ask(setData(`${root}/none`, none, 'any')))).toBe('no-node');
  });

  it('setData takes every byte there is', async () => {
    const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await good(channel.ask(setData(root, value, 'any')));
    const { data } = await good(channel.ask(getData(root, false)));
    expect(data).toEqual(value);
    // Not a view of what else came with it.
    expect(data.buffer.byteLength).toBe(256);
  });

  it('getChildren names the children, none of none, and fails where there is no node', async () => {
    expect(await good(channel.ask(getChildren(root, false)))).toMatchObject({ names: [] });
    const names = ['b', 'a', 'ключ', '日本語'];
    await Promise.all(names.map((name) => good(channel.ask(create(`${root}/${name}`, none, 'persistent', open)))));
    expect([...(await good(channel.ask(getChildren(root, false)))).names].sort()).toEqual([...names].sort());
    expect(await codeOf(channel.ask(getChildren(`${root}/none`, false)))).toBe('no-node');
  });

  it('sync is answered behind what was asked before it', async () => {
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    await Promise.all([
      good(channel.ask(setData(root, bytes('1'), 'any'))).then(note('write')),
      good(channel.ask(sync(root))).then(note('sync')),
      good(channel.ask(getData(root, false))).then(note('read')),
    ]);
    expect(order).toEqual(['write', 'sync', 'read']);
  });

  it('multi does all of its steps, and answers what each of them would', async () => {
    await good(channel.ask(create(`${root}/old`, none, 'persistent', open)));
    const steps = [
      check(root, 0),
      create(`${root}/new`, bytes('abc'), 'ephemeral', open),
      create(`${root}/box`, none, 'container', open),
      create(`${root}/box/n-`, none, 'ephemeral-sequential', open),
      setData(root, bytes('1'), 0),
      remove(`${root}/old`, 0),
    ];
    const answers = await good(channel.ask(multi(steps)));
    expect(answers.map(({ ok }) => ok)).toEqual(steps.map(() => true));
    const made = ['new', 'box', 'box/n-0000000000'].map((name) => `${root}/${name}`);
    const stats = await Promise.all(made.map((path) => good(channel.ask(exists(path, false)))));
    // All in one transaction.
    expect(new Set(stats.map(({ created }) => created)).size).toBe(1);
    const withStats = made.map((path, at) => ({ ok: true, value: { path, stat: stats[at] } }));
    // Before ZOOKEEPER-4026 the server tells the stat of a container alone.
    const withOne = withStats.map(({ value }, at) => ({
      ok: true,
      value: at === 1 ? value : { ...value, stat: null },
    }));
    expect([withStats, withOne]).toContainEqual(answers.slice(1, 4));
    expect(answers[4]).toMatchObject({ value: { version: 1, modified: stats[0]?.created } });
    expect(await codeOf(channel.ask(exists(`${root}/old`, false)))).toBe('no-node');
  });

  it('multi does nothing when one step is refused, and says which and why', async () => {
    const steps = [
      create(`${root}/new`, none, 'persistent', open),
      check(root, 7),
      setData(root, bytes('1'), 'any'),
      remove(`${root}/none`, 'any'),
    ];
    const answers = await good(channel.ask(multi(steps)));
    expect(answers.map((answer) => (answer.ok ? 'done' : answer.code))).toEqual([
      'other',
      'bad-version',
      'other',
      'other',
    ]);
    expect(await codeOf(channel.ask(exists(`${root}/new`, false)))).toBe('no-node');
    expect(await good(channel.ask(getData(root, false)))).toMatchObject({ data: bytes('0'), stat: { version: 0 } });
    expect(await good(channel.ask(multi([])))).toEqual([]);
  });
});
