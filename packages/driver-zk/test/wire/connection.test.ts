import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auth, create, exists, getData } from '../../src/wire/operations.js';
import { reservedXid } from '../../src/wire/protocol.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none } from './support/answers.js';
import { connected } from './support/connecting.js';
import { dialled } from './support/dialling.js';

const alice = { username: 'alice', password: 'wonderland' };
const everything = 31;

describe('a connection', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('proves an identity by digest, which opens what belongs to it, on this connection alone', async () => {
    const digest = createHash('sha1').update('alice:wonderland').digest('base64');
    const acl = [{ scheme: 'digest', id: `alice:${digest}`, allowed: everything }];
    const { channel } = await dialled(server.port);
    await good(channel.ask(create('/hers', bytes('secret'), 'persistent', acl)));
    expect(await codeOf(channel.ask(getData('/hers', false)))).toBe('no-auth');
    const proof = auth('digest', bytes('alice:wonderland'));
    await good(channel.ask(proof, { fixedXid: reservedXid.auth }));
    expect(await codeOf(channel.ask(getData('/hers', false)))).toBeNull();
    const stranger = await dialled(server.port);
    await good(stranger.channel.ask(auth('digest', bytes('alice:hatter')), { fixedXid: reservedXid.auth }));
    expect(await codeOf(stranger.channel.ask(getData('/hers', false)))).toBe('no-auth');
  });

  it('refuses a scheme that the server does not know, and is over', async () => {
    const { channel } = await dialled(server.port);
    const answer = channel.ask(auth('nonsense', none), { fixedXid: reservedXid.auth });
    expect(await codeOf(answer)).toBe('auth-failed');
    await channel.ended;
    expect(await codeOf(channel.ask(exists('/', false)))).toBe('unsent');
  });

  it('with credentials creates what it alone may touch, also after it was cut and attached again', async () => {
    const first = await connected(server.port, { credentials: alice });
    await good(first.create('/mine', bytes('1'), 'persistent'));
    first.sever();
    const second = await connected(server.port, { credentials: alice, resume: first.resumption });
    expect(second.identity).toEqual(first.identity);
    expect(await codeOf(second.get('/mine', false))).toBeNull();
    const other = await connected(server.port);
    expect(await codeOf(other.get('/mine', false))).toBe('no-auth');
    expect(await codeOf(other.set('/mine', none, 'any'))).toBe('no-auth');
  });

  it('outlives its session timeout without any request, and not without its pings', async () => {
    const idle = await connected(server.port, { sessionTimeoutMs: 1_000 });
    const dead = await dialled(server.port, { timeoutMs: 1_000 });
    expect(idle.timeoutMs).toBe(1_000);
    // The server has expired whoever keeps silent for that long.
    await dead.channel.ended;
    const startedAt = performance.now();
    await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(3_000);
    expect(await codeOf(idle.exists('/', false))).toBeNull();
  });

  it('that ends takes its ephemeral nodes with it at once, and one that is severed leaves them', async () => {
    const watcher = await connected(server.port);
    const [leaving, severed] = [await connected(server.port), await connected(server.port)];
    await good(leaving.create('/leaving', none, 'ephemeral'));
    await good(severed.create('/severed', none, 'ephemeral'));
    severed.sever();
    expect(await leaving.end()).toBe(true);
    expect(await leaving.closed).toBe('closed');
    expect(await codeOf(watcher.exists('/leaving', false))).toBe('no-node');
    expect(await codeOf(watcher.exists('/severed', false))).toBeNull();
    const next = await connected(server.port, { resume: severed.resumption });
    expect(await next.end()).toBe(true);
    expect(await codeOf(watcher.exists('/severed', false))).toBe('no-node');
  });

  it('answers everything that is pending when it is severed, once, and tells why it is over', async () => {
    const connection = await connected(server.port);
    const asked = Array.from({ length: 3_000 }, () => codeOf(connection.exists('/', false)));
    // In the turn of asking nothing has left yet, but a thousand are on their way out.
    connection.sever();
    const codes = await Promise.all(asked);
    expect(new Set(codes)).toEqual(new Set(['lost', 'unsent']));
    expect(codes.lastIndexOf('lost')).toBeLessThan(codes.indexOf('unsent'));
    expect(await connection.closed).toBe('closed');
    expect(connection.usable).toBe(false);
    expect(await codeOf(connection.exists('/', false))).toBe('unsent');
  });

  it('cannot be attached to a session that is over, nor with the wrong password', async () => {
    const connection = await connected(server.port);
    expect(await connection.end()).toBe(true);
    await expect(connected(server.port, { resume: connection.resumption })).rejects.toThrow('expired');
    const other = await connected(server.port);
    const wrong = { ...other.resumption, identity: { ...other.identity, password: 'ab'.repeat(16) } };
    await expect(connected(server.port, { resume: wrong })).rejects.toThrow('expired');
    // The server takes the session's connection away before it looks at the password, and leaves the session.
    expect(await other.closed).toBe('lost');
    const next = await connected(server.port, { resume: other.resumption });
    expect(next.identity).toEqual(other.identity);
  });
});
