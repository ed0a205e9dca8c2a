import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { codeOf, good, none } from './support/answers.js';
import { connected } from './support/connecting.js';

// What no counter of a node can be: it would become another number on the way, or "any".
const versions = [Number.NaN, 1.5, -1, 2 ** 31, Number.POSITIVE_INFINITY, -(2 ** 31) - 1];

describe('a version that is none', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it.each(versions)('%d is refused before anything is sent, and the connection stays', async (version) => {
    const connection = await connected(server.port);
    await good(connection.create('/v', none, 'ephemeral'));
    expect(() => connection.set('/v', none, version)).toThrow(RangeError);
    expect(() => connection.delete('/v', version)).toThrow(RangeError);
    expect(await good(connection.get('/v', false))).toMatchObject({ stat: { version: 0 } });
    expect(connection.usable).toBe(true);
    await connection.end();
  });

  it('is refused as well where others wait to be sent, and harms none of them', async () => {
    const connection = await connected(server.port);
    const many = Array.from({ length: 3_000 }, () => codeOf(connection.exists('/', false)));
    expect(() => connection.set('/', none, Number.NaN)).toThrow(RangeError);
    expect(new Set(await Promise.all(many))).toEqual(new Set([null]));
    expect(connection.usable).toBe(true);
  });
});
