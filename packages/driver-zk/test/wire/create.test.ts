import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeMode } from '../../src/connection.js';
import { create, exists, getChildren, getData, remove } from '../../src/wire/operations.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none, open } from './support/answers.js';
import { dialled } from './support/dialling.js';

describe('creating with a stat', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it.each<readonly [NodeMode, RegExp, boolean]>([
    ['persistent', /^\/c-persistent$/, false],
    ['container', /^\/c-container$/, false],
    ['ephemeral', /^\/c-ephemeral$/, true],
    ['ephemeral-sequential', /^\/c-ephemeral-sequential\d{10}$/, true],
  ])('a %s node answers the path and the stat that a later read shows', async (mode, path, isOwned) => {
    const { channel, welcome } = await dialled(server.port);
    const created = await good(channel.ask(create(`/c-${mode}`, bytes('value'), mode, open)));
    const node = await good(channel.ask(getData(created.path, false)));
    expect(created.path).toMatch(path);
    expect(created.stat).toEqual(node.stat);
    expect(created.stat).toMatchObject({ version: 0, dataLength: 5, owner: isOwned ? welcome.identity.id : null });
    expect(created.stat?.created).toBe(created.stat?.modified);
    expect(created.stat?.created).toBe(channel.seen);
    expect(Buffer.from(node.data).toString()).toBe('value');
  });

  it('rises from one creation to the next, over the same path as well', async () => {
    const { channel } = await dialled(server.port);
    const first = await good(channel.ask(create('/again', none, 'persistent', open)));
    await good(channel.ask(remove('/again', 0)));
    const second = await good(channel.ask(create('/again', none, 'persistent', open)));
    expect(second.stat?.created).toBeGreaterThan(first.stat?.created ?? 0n);
  });

  it('numbers sequential nodes in the order they were asked for, in one flight', async () => {
    const { channel } = await dialled(server.port);
    await good(channel.ask(create('/line', none, 'container', open)));
    const asked = Array.from({ length: 50 }, () =>
      good(channel.ask(create('/line/n-', none, 'ephemeral-sequential', open))),
    );
    const created = await Promise.all(asked);
    const paths = created.map(({ path }) => path);
    expect(paths).toEqual(paths.map((_, index) => `/line/n-${String(index).padStart(10, '0')}`));
    const zxids = created.map(({ stat }) => stat?.created ?? 0n);
    expect(zxids).toEqual([...zxids].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('is refused in words of ours, and harms nothing', async () => {
    const { channel } = await dialled(server.port);
    await good(channel.ask(create('/there', none, 'persistent', open)));
    await good(channel.ask(create('/brief', none, 'ephemeral', open)));
    expect(await codeOf(channel.ask(create('/there', none, 'persistent', open)))).toBe('node-exists');
    expect(await codeOf(channel.ask(create('/no/parent', none, 'persistent', open)))).toBe('no-node');
    expect(await codeOf(channel.ask(create('/brief/child', none, 'persistent', open)))).toBe(
      'no-children-for-ephemerals',
    );
    expect(await codeOf(channel.ask(create('/acl', none, 'persistent', [])))).toBe('bad-arguments');
    for (const path of ['', 'relative', '/there/', '//', '/there/.', '/nul\0', '/lone\ud800', '/emoji-😀'])
      expect(await codeOf(channel.ask(create(path, none, 'persistent', open)))).toBe('bad-arguments');
    expect(await codeOf(channel.ask(exists('/there', false)))).toBeNull();
  });

  it.each(['/ключ', '/日本語', '/a b%20"\\', '/ü'.normalize('NFD')])('takes %s for a path', async (path) => {
    const { channel } = await dialled(server.port);
    expect(await good(channel.ask(create(path, none, 'persistent', open)))).toMatchObject({ path });
    expect((await good(channel.ask(getChildren('/', false)))).names).toContain(path.slice(1));
  });
});
