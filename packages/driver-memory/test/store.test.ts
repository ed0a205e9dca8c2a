import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import type { AnswerOf, Changed, Operation, RequestOf } from '../src/store/protocol.js';
import { Transport } from '../src/transport.js';
import { bytes, text } from './client.js';
import { ManualClock, settled } from './manual-clock.js';

const marks = 'app/session';

describe('the store', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore({ clock });
  });
  afterEach(() => store.close());

  class Raw {
    readonly link = store.link();
    readonly transport = new Transport(this.link);
    readonly changes: Changed[] = [];
    readonly ended: string[] = [];
    closings = 0;

    async connect(): Promise<this> {
      this.transport.connect({
        opened: () => undefined,
        closed: () => this.closings++,
        changed: (message) => this.changes.push(message),
        ended: ({ session }) => this.ended.push(session),
      });
      await settled();
      return this;
    }

    ask<Op extends Operation>(operation: Op, request: RequestOf<Op>) {
      return new Promise<AnswerOf<Op>>((resolve, reject) => {
        this.transport.send(operation, request, {
          answered: ({ answer }) => resolve(answer),
          failed: reject,
        });
      });
    }

    async put(key: string, value = key) {
      return this.ask('put', { key, value: bytes(value), expect: 'any', session: null });
    }
  }

  const raw = (): Promise<Raw> => new Raw().connect();
  const line = (dir: string, limit = 1, ending: string | null = null) => ({ dir, limit, ending });

  it('answers nothing within the call that asks', async () => {
    const client = await raw();
    let answered = false;
    client.transport.send('get', { key: 'a' }, { answered: () => (answered = true), failed: () => undefined });
    expect(answered).toBe(false);
    await settled();
    expect(answered).toBe(true);
  });

  it('grants sessions, shows each by an entry of its own, and ends a silent one by its own clock', async () => {
    const client = await raw();
    const { session, timeoutMs } = await client.ask('open', { timeoutMs: 4_000, marks });
    expect(timeoutMs).toBe(4_000);
    expect(store.keys).toEqual([`${marks}/${session}`]);
    await clock.advance(3_000);
    expect(await client.ask('heartbeat', { session })).toEqual({ alive: true });
    await clock.advance(3_999);
    expect(store.sessions).toEqual([session]);
    await clock.advance(1);
    expect(store.sessions).toEqual([]);
    expect(store.keys).toEqual([]);
    expect(client.ended).toEqual([session]);
    expect(await client.ask('heartbeat', { session })).toEqual({ alive: false });
  });

  it('does not let a late heartbeat save a session whose timer is late too', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    clock.jump(4_000);
    expect(await client.ask('heartbeat', { session })).toEqual({ alive: false });
  });

  it('removes what a session owns with it, and nothing else', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    await client.ask('put', { key: 'mine', value: bytes('1'), expect: 'absent', session });
    await client.put('other');
    await client.put('mine', '2');
    store.expireSession(session);
    expect(store.keys).toEqual(['other']);
    const late = { key: 'late', value: bytes('1'), expect: 'any', session } as const;
    await expect(client.ask('put', late)).rejects.toThrow('no-session');
    expect(store.keys).toEqual(['other']);
  });

  it('orders a line by creation and answers the nearest entries ahead', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    const enter = (name: string, limit: number, ending: string | null = null) =>
      client.ask('enter', {
        session,
        key: `line/${name}`,
        value: bytes('1'),
        unless: `void/${name}`,
        line: line('line', limit, ending),
      });
    expect(await enter('z-read', 2)).toMatchObject({ ahead: [] });
    expect(await enter('y-write', 2)).toMatchObject({ ahead: [{ key: 'line/z-read' }] });
    await client.put('line/z-read', 'overwritten');
    expect(await enter('x-read', 2)).toMatchObject({ ahead: [{ key: 'line/z-read' }, { key: 'line/y-write' }] });
    expect(await enter('w-read', 2)).toMatchObject({ ahead: [{ key: 'line/y-write' }, { key: 'line/x-read' }] });
    expect(await enter('v-read', 2, '-write')).toMatchObject({ ahead: [{ key: 'line/y-write' }] });
    expect(store.entries('line')).toEqual(['z-read', 'y-write', 'x-read', 'w-read', 'v-read']);
  });

  it('never applies an attempt that was voided', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    const attempt = { session, key: 'line/a', line: line('line') };
    expect(await client.ask('settle', { ...attempt, mark: 'void/a' })).toBe(null);
    expect(await client.ask('enter', { ...attempt, value: bytes('1'), unless: 'void/a' })).toBe(null);
    expect(store.entries('line')).toEqual([]);
  });

  it('gives nobody the place of an entry of that name, which only a restore can have left', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    const enter = (name: string) =>
      client.ask('enter', { session, key: `line/${name}`, value: bytes('1'), unless: 'void/x', line: line('line') });
    const first = await enter('a');
    const other = await enter('b');
    const again = await enter('a');
    expect(again?.created).toBeGreaterThan(first?.created ?? 0n);
    expect(again?.ahead).toMatchObject([{ key: 'line/b', created: other?.created }]);
    expect(store.entries('line')).toEqual(['b', 'a']);
  });

  it('tells of each change once, behind the state that a watch starts from', async () => {
    const client = await raw();
    await client.put('dir/a', '1');
    const start = await client.ask('watch', { watch: 1, target: { of: 'directory', path: 'dir' } });
    expect(start).toMatchObject([{ key: 'dir/a' }]);
    await client.put('dir/a', '2');
    await client.put('dir/b/c', '3');
    store.deleteEntry('dir', 'a');
    await settled();
    expect(client.changes.map(({ key, stored }) => [key, text(stored?.value)])).toEqual([
      ['dir/a', '2'],
      ['dir/a', undefined],
    ]);
    await client.ask('unwatch', { watch: 1 });
    await client.put('dir/a', '4');
    expect(client.changes).toHaveLength(2);
  });

  it('keeps versions rising over a deletion', async () => {
    const client = await raw();
    const { current: first } = await client.put('a');
    await client.ask('delete', { key: 'a', version: null, created: null, owner: null });
    const { current: second } = await client.put('a');
    expect(second?.version).toBeGreaterThan(first?.version ?? 0n);
    expect(await client.ask('put', { key: 'a', value: bytes('x'), expect: 1n, session: null })).toMatchObject({
      done: false,
    });
  });

  it('refuses a value above its limit', async () => {
    const client = await raw();
    const fits = { key: 'a', value: new Uint8Array(1_048_576), expect: 'any', session: null } as const;
    expect(await client.ask('put', fits)).toMatchObject({ done: true });
    await expect(client.ask('put', { ...fits, value: new Uint8Array(1_048_577) })).rejects.toThrow('too-large');
  });

  it('answers and expires nothing while frozen, and catches up in order', async () => {
    const [one, two] = [await raw(), await raw()];
    const { session } = await one.ask('open', { timeoutMs: 4_000, marks });
    const { session: patient } = await two.ask('open', { timeoutMs: 9_000, marks });
    store.freeze();
    const answer = one.put('a', '1');
    const late = one.ask('heartbeat', { session });
    await clock.advance(5_000);
    expect(store.keys).not.toContain('a');
    expect(store.sessions).toEqual([session, patient]);
    store.thaw();
    expect(await answer).toMatchObject({ done: true });
    expect(await late).toEqual({ alive: false });
    expect(store.sessions).toEqual([patient]);
    await clock.advance(4_000);
    expect(store.sessions).toEqual([]);
  });

  it('keeps data and sessions over a kill, and gives each session its whole timeout again', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    await client.put('a');
    await clock.advance(3_000);
    store.kill();
    await client.connect();
    expect(client.closings).toBeGreaterThan(0);
    expect(client.transport.up).toBe(false);
    await clock.advance(60_000);
    store.start();
    await client.connect();
    await clock.advance(3_999);
    expect(store.sessions).toEqual([session]);
    expect(store.keys).toContain('a');
    await clock.advance(1);
    expect(store.sessions).toEqual([]);
  });

  it('forgets everything but the names of its sessions when it is wiped', async () => {
    const client = await raw();
    const { session } = await client.ask('open', { timeoutMs: 4_000, marks });
    store.wipe();
    expect(store.keys).toEqual([]);
    expect(store.revision).toBe(0n);
    await client.connect();
    const { session: next } = await client.ask('open', { timeoutMs: 4_000, marks });
    expect(next).not.toBe(session);
  });

  it('is one store for everybody who names it', async () => {
    const named = MemoryStore.named('orders');
    expect(MemoryStore.named('orders')).toBe(named);
    expect(MemoryStore.named('')).toBe(MemoryStore.named(''));
    named.close();
    expect(MemoryStore.named('orders')).not.toBe(named);
    MemoryStore.named('orders').close();
    MemoryStore.named('').close();
  });

  it('keeps the order of each connection whatever the order of deliveries', async () => {
    const due: (() => void)[] = [];
    const reordered = new MemoryStore({ clock, deliver: (callback) => due.push(callback) });
    const transport = new Transport(reordered.link());
    const run = (): void => {
      while (due.length > 0) due.pop()?.();
    };
    transport.connect({
      opened: () => undefined,
      closed: () => undefined,
      changed: () => undefined,
      ended: () => undefined,
    });
    run();
    const values: (string | undefined)[] = [];
    for (const value of ['1', '2', '3']) {
      transport.send(
        'put',
        { key: 'a', value: bytes(value), expect: 'any', session: null },
        {
          answered: ({ answer }) => values.push(text(answer.current?.value)),
          failed: () => undefined,
        },
      );
    }
    run();
    expect(values).toEqual(['1', '2', '3']);
    reordered.close();
  });

  it('leaves no timer behind when it is closed', async () => {
    const client = await raw();
    await client.ask('open', { timeoutMs: 4_000, marks });
    store.close();
    expect(clock.pending).toBe(0);
  });
});
