import type { Link, World } from '@concordat/conformance';
import { type Backend, Call, type OpenOptions, Session, systemClock } from '@concordat/core/spi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memory } from '../src/index.js';
import { bytes } from './client.js';
import { harness } from './harness.js';

describe('the harness of the memory driver', () => {
  let world: World;
  let link: Link;
  let session: Session;
  let backend: Backend;

  beforeEach(async () => {
    world = await harness.start();
    link = await world.link();
    session = new Session({ clock: systemClock });
    backend = openOver(link, session);
    await session.connected();
  });
  afterEach(async () => {
    session.close();
    await backend.close(1_000);
    await world.stop();
  });

  const call = (): Call => new Call(systemClock.now() + 1_000);
  const phase = () => session.state.state;

  it('leads a driver over its link and counts at the wire', async () => {
    await backend.put('a', bytes('1'), { expect: 'any' }, call());
    await backend.get('a', 'linearizable', call());
    const seen: unknown[] = [];
    backend.watch('b').subscribe((register) => seen.push(register));
    await expect.poll(() => seen).toEqual([null]);
    await world.operator.write('app', 'b', bytes('2'));
    await expect.poll(() => link.wire).toEqual({ requests: 3, writes: 1, notifications: 1 });
    expect(await world.operator.keys('app')).toEqual(['a', 'b', `session/${session.state.id}`]);
  });

  it('breaks one link without harm to another', async () => {
    const other = await world.link();
    const otherSession = new Session({ clock: systemClock });
    const otherBackend = openOver(other, otherSession);
    await otherSession.connected();
    link.cut();
    await expect.poll(phase).toBe('suspended');
    expect(otherSession.state.state).toBe('connected');
    link.heal();
    await expect.poll(phase).toBe('connected');
    otherSession.close();
    await otherBackend.close(1_000);
    await expect.poll(() => world.operator.entries('app', 'session')).toEqual([session.state.id]);
    await other.close();
  });

  it('breaks the server and acts as an operator', async () => {
    const { entry } = await backend.enter('lock/a', 'lock', bytes('1'), { limit: 1 }, context(session));
    expect(await world.operator.entries('app', 'lock/a')).toEqual([entry.name]);
    await world.operator.deleteEntry('app', 'lock/a', entry.name);
    expect(await backend.ahead(entry, { limit: 1 }, call())).toBe(null);
    const stopWriting = await world.operator.writeSteadily();
    await expect.poll(() => world.operator.keys('elsewhere')).toEqual(['steadily']);
    await stopWriting();
    await world.server.kill();
    await expect.poll(phase).toBe('suspended');
    await world.server.start();
    await expect.poll(phase).toBe('connected');
    await world.operator.expireSession(session.state.id ?? '');
    await expect.poll(() => session.epoch).toBe(2);
    await session.connected();
    await world.server.wipe();
    await expect.poll(() => session.epoch).toBe(3);
  });

  it('is refused when its address leads nowhere', async () => {
    const closed = await world.link();
    await closed.close();
    expect(() => openOver(closed, new Session({ clock: systemClock }))).toThrow(/INVALID_ARGUMENT/);
  });
});

function context(session: Session): { epoch: number; signal: AbortSignal } {
  return { epoch: session.epoch, signal: new AbortController().signal };
}

function openOver(link: Link, session: Session): Backend {
  const options: OpenOptions = {
    hosts: [],
    namespace: 'app',
    sessionTimeoutMs: harness.sessionTimeoutMs,
    requestTimeoutMs: harness.sessionTimeoutMs / 3,
    credentials: null,
    tls: null,
    clock: systemClock,
    session,
    storeName: link.options.storeName ?? '',
    extra: {},
  };
  return memory.open(options);
}
