import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addWatch,
  create,
  exists,
  getChildren,
  getData,
  remove,
  removeWatches,
  setData,
  sync,
} from '../../src/wire/operations.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none, open } from './support/answers.js';
import { type Dialled, dialled } from './support/dialling.js';

describe('watches of the server', () => {
  let server: TestServer;
  let watcher: Dialled;
  let writer: Dialled;
  let root: string;
  let rooms = 0;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    [watcher, writer] = await Promise.all([dialled(server.port), dialled(server.port)]);
    rooms += 1;
    root = `/room-${String(rooms)}`;
    await good(writer.channel.ask(create(root, none, 'persistent', open)));
  });

  const put = (path: string) => good(writer.channel.ask(create(path, none, 'persistent', open)));
  const touch = (path: string) => good(writer.channel.ask(setData(path, bytes('x'), 'any')));
  const drop = (path: string) => good(writer.channel.ask(remove(path, 'any')));
  /** Events so far: what the server told before it answers this was told. */
  const told = async () => {
    await good(watcher.channel.ask(sync(root)));
    return watcher.events.map(({ type, path }) => `${type} ${path.slice(root.length)}`);
  };

  it('of a read tell the next change once, and none of what follows', async () => {
    await good(watcher.channel.ask(getData(root, true)));
    await touch(root);
    await touch(root);
    expect(await told()).toEqual(['changed ']);
  });

  it('of exists tell the creation of what is missing, and the deletion of what is there', async () => {
    expect(await codeOf(watcher.channel.ask(exists(`${root}/new`, true)))).toBe('no-node');
    await put(`${root}/new`);
    await good(watcher.channel.ask(exists(`${root}/new`, true)));
    await drop(`${root}/new`);
    expect(await told()).toEqual(['created /new', 'deleted /new']);
  });

  it('of a list tell an arrival, a departure, and the end of the directory', async () => {
    for (const act of [() => put(`${root}/a`), () => drop(`${root}/a`), () => drop(root)]) {
      await good(watcher.channel.ask(getChildren(root, true)));
      await act();
    }
    expect(await told()).toEqual(['child ', 'child ', 'deleted ']);
  });

  it('come with reads that fail for want of a node for exists alone', async () => {
    expect(await codeOf(watcher.channel.ask(getData(`${root}/n`, true)))).toBe('no-node');
    expect(await codeOf(watcher.channel.ask(getChildren(`${root}/n`, true)))).toBe('no-node');
    await put(`${root}/n`);
    expect(await told()).toEqual([]);
  });

  it('that stay tell every change of their node and the coming and going of its children', async () => {
    await good(watcher.channel.ask(addWatch(root, 'persistent')));
    await touch(root);
    await touch(root);
    await put(`${root}/a`);
    await touch(`${root}/a`);
    await drop(`${root}/a`);
    expect(await told()).toEqual(['changed ', 'changed ', 'child ', 'child ']);
  });

  it('that stay and reach down tell every change of every node below, and no lists', async () => {
    await good(watcher.channel.ask(addWatch(root, 'recursive')));
    await put(`${root}/a`);
    await put(`${root}/a/b`);
    await touch(`${root}/a/b`);
    await touch(root);
    await drop(`${root}/a/b`);
    expect(await told()).toEqual(['created /a', 'created /a/b', 'changed /a/b', 'changed ', 'deleted /a/b']);
  });

  it('are taken back of every kind at once, and tell nothing any more', async () => {
    await good(watcher.channel.ask(getData(root, true)));
    await good(watcher.channel.ask(getChildren(root, true)));
    await good(watcher.channel.ask(removeWatches(root)));
    await touch(root);
    await put(`${root}/a`);
    expect(await told()).toEqual([]);
    expect(await codeOf(watcher.channel.ask(removeWatches(root)))).toBe('other');
  });

  it('are taken back for that path and that connection alone', async () => {
    const other = await dialled(server.port);
    await put(`${root}/a`);
    await good(watcher.channel.ask(getData(root, true)));
    await good(watcher.channel.ask(getData(`${root}/a`, true)));
    await good(other.channel.ask(getData(root, true)));
    await good(watcher.channel.ask(removeWatches(root)));
    await touch(root);
    await touch(`${root}/a`);
    expect(await told()).toEqual(['changed /a']);
    await good(other.channel.ask(sync(root)));
    expect(other.events.map(({ path }) => path)).toEqual([root]);
  });
});
