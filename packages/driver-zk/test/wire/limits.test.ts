import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Channel } from '../../src/wire/channel.js';
import { create, exists, getChildren, getData, multi, setData } from '../../src/wire/operations.js';
import { TestServer } from '../support/server.js';
import { codeOf, good, none, open } from './support/answers.js';
import { dialled } from './support/dialling.js';

// What the driver sends at most, of the 1,048,575 bytes that a server takes.
const longest = 1_048_000;

describe('the limit of a request', () => {
  let server: TestServer;
  let channel: Channel;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  // Header, path behind its length, length of the data, version.
  const around = 8 + 4 + '/big'.length + 4 + 4;
  const value = (length: number) => new Uint8Array(length).fill(7);

  it('lets one through that is just within, and keeps one back that is just above; the connection stays', async () => {
    ({ channel } = await dialled(server.port));
    await good(channel.ask(create('/big', none, 'persistent', open)));
    expect(await codeOf(channel.ask(setData('/big', value(longest - around), 'any')))).toBeNull();
    expect(await codeOf(channel.ask(setData('/big', value(longest - around + 9), 'any')))).toBe('over-limit');
    expect(await codeOf(channel.ask(setData('/big', value(20_000_000), 'any')))).toBe('over-limit');
    const { data } = await good(channel.ask(getData('/big', false)));
    expect(data).toHaveLength(longest - around);
    expect(data.every((byte) => byte === 7)).toBe(true);
    expect(channel.open).toBe(true);
  });

  it('is counted in bytes, not in letters', async () => {
    ({ channel } = await dialled(server.port));
    // Three bytes at most for each, and one in truth; and three in truth.
    expect(await codeOf(channel.ask(exists(`/${'a'.repeat(1_000_000)}`, false)))).toBe('no-node');
    expect(await codeOf(channel.ask(exists(`/${'日'.repeat(349_000)}`, false)))).toBe('no-node');
    expect(await codeOf(channel.ask(exists(`/${'日'.repeat(349_400)}`, false)))).toBe('over-limit');
    const half = create('/half', value(longest / 2), 'persistent', open);
    expect(await codeOf(channel.ask(multi([half, half])))).toBe('over-limit');
    expect(channel.open).toBe(true);
  });

  it('is not one of replies: 20,000 long names and 1 MB of data are read', async () => {
    ({ channel } = await dialled(server.port));
    await good(channel.ask(create('/many', none, 'persistent', open)));
    const names = Array.from({ length: 20_000 }, (_, index) => `${String(index)}-${'n'.repeat(80)}`);
    const asked = names.map((name) => codeOf(channel.ask(create(`/many/${name}`, none, 'persistent', open))));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([null]));
    const { names: listed } = await good(channel.ask(getChildren('/many', false)));
    expect([...listed].sort()).toEqual([...names].sort());
    await good(channel.ask(create('/megabyte', value(1_000_000), 'persistent', open)));
    const read = await Promise.all(Array.from({ length: 20 }, () => good(channel.ask(getData('/megabyte', false)))));
    expect(read.map(({ data }) => data.length)).toEqual(read.map(() => 1_000_000));
  });
});
