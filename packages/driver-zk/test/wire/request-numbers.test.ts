import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, exists, getData, setData, sync } from '../../src/wire/operations.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none, open } from './support/answers.js';
import { dialled } from './support/dialling.js';
import { FrameProxy } from './support/frame-proxy.js';
import { setPrivateField } from './support/private-field.js';

describe('numbers of requests', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('begin again at 1 after the largest, and every reply finds its request', async () => {
    const proxy = await FrameProxy.start(server.port);
    const numbers: number[] = [];
    proxy.loses = (request) => {
      numbers.push(request.readInt32BE(0));
      return false;
    };
    const { channel, events } = await dialled(proxy.port);
    await good(channel.ask(create('/around', none, 'ephemeral', open)));
    setPrivateField(channel, '#pipeline.#last', 2 ** 31 - 4);
    const writes = Array.from({ length: 6 }, (_, index) => good(channel.ask(setData('/around', none, index))));
    const read = channel.ask(getData('/around', true));
    expect((await Promise.all(writes)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await good(read)).stat.version).toBe(6);
    expect(numbers).toEqual([1, 2_147_483_645, 2_147_483_646, 2_147_483_647, 1, 2, 3, 4]);
    await good(channel.ask(setData('/around', bytes('told'), 'any')));
    await good(channel.ask(sync('/around')));
    expect(events).toEqual([{ type: 'changed', path: '/around' }]);
    expect(await codeOf(channel.ask(exists('/none', false)))).toBe('no-node');
    channel.destroy();
    await proxy.close();
  });
});
