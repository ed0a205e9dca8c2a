import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTtl, exists, multi, setData } from '../../src/wire/operations.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none, open } from './support/answers.js';
import { dialled } from './support/dialling.js';

const extended = '-Dzookeeper.extendedTypesEnabled=true';

describe('a node with a time to live', () => {
  let server: TestServer;

  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.stop();
  });

  it('is created with its stat, has no owner, and is gone a while after nobody touches it', async () => {
    vi.stubEnv('JAVA_TOOL_OPTIONS', `${extended} -Dznode.container.checkIntervalMs=200`);
    server = await TestServer.start();
    const { channel } = await dialled(server.port);
    const created = await good(channel.ask(createTtl('/brief', bytes('abc'), 500, open)));
    const stat = await good(channel.ask(exists('/brief', false)));
    expect(created).toEqual({ path: '/brief', stat });
    expect(stat).toMatchObject({ owner: null, version: 0, dataLength: 3 });
    expect(await good(channel.ask(setData('/brief', none, 0)))).toMatchObject({ owner: null, version: 1 });
    const [step] = await good(channel.ask(multi([createTtl('/long', none, 3_600_000, open)])));
    expect(step).toMatchObject({ ok: true, value: { path: '/long' } });
    await expect.poll(() => codeOf(channel.ask(exists('/brief', false)))).toBe('no-node');
    expect(await codeOf(channel.ask(exists('/long', false)))).toBeNull();
  });

  it('is refused in a word by a server that does not know it, and the connection stays', async () => {
    server = await TestServer.start();
    const { channel } = await dialled(server.port);
    expect(await codeOf(channel.ask(createTtl('/brief', none, 500, open)))).toBe('other');
    expect(await codeOf(channel.ask(exists('/brief', false)))).toBe('no-node');
  });
});
