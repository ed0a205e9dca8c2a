import { beforeEach, describe, expect, it } from 'vitest';
import { CoordinationError, Session, type SessionState } from '../src/spi/index.js';
import { ManualClock } from './manual-clock.js';

const timeoutMs = 12_000;
const marginMs = 600;

let clock: ManualClock;
let session: Session;
let states: string[];

beforeEach(() => {
  clock = new ManualClock();
  session = new Session({ clock });
  states = [];
  session.state$.subscribe(({ state, epoch }) => states.push(`${state} ${epoch}`));
});

function open(lagMs = 0): number {
  const epoch = session.opened('s1', timeoutMs, clock.now(), lagMs);
  if (epoch === null) throw new Error('refused');
  return epoch;
}

function lost(message = 'gone'): CoordinationError {
  return new CoordinationError('SESSION_LOST', message);
}

describe('the deadline', () => {
  it('counts from the send time of the newest confirmed heartbeat, less the margin', () => {
    const epoch = open();
    const start = clock.now();
    expect(session.deadline).toBe(start + timeoutMs - marginMs);
    clock.pass(2_000);
    session.confirmed(epoch, start + 1_500);
    expect(session.deadline).toBe(start + 1_500 + timeoutMs - marginMs);
  });

  it('keeps a margin of at least 250 ms', () => {
    session.opened('short', 2_000, clock.now(), 0);
    expect(session.deadline - clock.now()).toBe(1_750);
  });

  it('with a lag counts from the newest heartbeat that is that much older than the newest', () => {
    const epoch = open(3_000);
    const start = clock.now();
    for (const at of [1_000, 2_000, 3_000]) {
      clock.pass(1_000);
      session.confirmed(epoch, start + at);
    }
    expect(session.deadline).toBe(start + timeoutMs - marginMs);
    clock.pass(1_000);
    session.confirmed(epoch, start + 4_000);
    expect(session.deadline).toBe(start + 1_000 + timeoutMs - marginMs);
  });

  it('never goes back for a confirmation that comes out of order', () => {
    const epoch = open();
    const start = clock.now();
    clock.pass(2_000);
    session.confirmed(epoch, start + 2_000);
    session.confirmed(epoch, start + 1_000);
    expect(session.deadline).toBe(start + 2_000 + timeoutMs - marginMs);
  });

  it('is zero and nothing is alive without a session', () => {
    expect(session.deadline).toBe(0);
    expect(session.alive()).toBe(false);
  });

  it('shows safeUntil on the scale of performance.now() after a machine suspend', () => {
    open();
    clock.offset = 5_000;
    expect(session.safeUntil).toBe(session.deadline - 5_000);
  });
});

describe('the states', () => {
  it('goes connecting, connected, suspended after a third without confirmation, connected again', () => {
    const epoch = open();
    clock.pass(timeoutMs / 3);
    session.confirmed(epoch, clock.now());
    expect(states).toEqual(['connecting 1', 'connected 1', 'suspended 1', 'connected 1']);
  });

  it('stays suspended for a confirmation of a heartbeat that is a third old', () => {
    const epoch = open();
    const start = clock.now();
    clock.pass(timeoutMs / 2);
    session.confirmed(epoch, start + 100);
    expect(session.state.state).toBe('suspended');
  });

  it('is suspended at once when the transport is cut', () => {
    const epoch = open();
    session.cut(epoch);
    expect(states.at(-1)).toBe('suspended 1');
  });

  it('is lost at the deadline without any word of the store, and opens the next epoch', () => {
    open();
    clock.pass(timeoutMs - marginMs);
    session.reopen();
    session.opened('s2', timeoutMs, clock.now(), 0);
    expect(states).toEqual(['connecting 1', 'connected 1', 'suspended 1', 'lost 1', 'connecting 2', 'connected 2']);
  });

  it('ignores reports of an epoch that is over', () => {
    const epoch = open();
    session.lose(epoch, lost());
    session.confirmed(epoch, clock.now());
    session.cut(epoch);
    session.lose(epoch, lost());
    expect(states).toEqual(['connecting 1', 'connected 1', 'lost 1']);
  });

  it('is lost when a reply shows that the store went back, with that reason', () => {
    const epoch = open();
    session.saw(epoch, 50n, 0n);
    const before = session.order;
    session.saw(epoch, 40n, before);
    expect(session.state.state).toBe('lost');
    expect(session.state.reason?.message).toMatch(/restored or wiped/);
  });

  it('is lost for the same reason when the store shows it in another way, unless that was about another epoch', () => {
    const epoch = open();
    session.wentBack(epoch - 1);
    expect(session.state.state).toBe('connected');
    session.wentBack(epoch);
    expect(session.state).toMatchObject({ state: 'lost', reason: { code: 'SESSION_LOST' } });
    expect(session.state.reason?.message).toMatch(/restored or wiped/);
  });

  it('does not hold what an epoch saw against the next one, also before that is opened', () => {
    const epoch = open();
    session.saw(epoch, 1_000n, 0n);
    session.lose(epoch, lost());
    session.reopen();
    const before = session.order;
    const next = open();
    session.saw(next, 5n, before);
    expect(session.state).toMatchObject({ state: 'connected', epoch: 2 });
  });

  it('accepts replies that overtook each other', () => {
    const epoch = open();
    const before = session.order;
    session.saw(epoch, 50n, before);
    session.saw(epoch, 40n, before);
    expect(session.state.state).toBe('connected');
  });

  it('closes once from any state, completes, and leaves no timer', () => {
    let completed = 0;
    session.state$.subscribe({ complete: () => completed++ });
    open();
    session.close();
    session.close();
    session.lose(1, lost());
    expect(states).toEqual(['connecting 1', 'connected 1', 'closed 1']);
    expect(completed).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('stays closed when whoever is told of a loss closes it, and tells the others of the loss', async () => {
    const epoch = open();
    const told: string[] = [];
    for (const stage of ['abort', 'end'] as const) {
      session.onLost(epoch, () => session.close(), stage);
      session.onLost(epoch, ({ code }) => told.push(`${stage} ${code}`), stage);
    }
    session.lose(epoch, lost());
    expect(told).toEqual(['abort SESSION_LOST', 'end SESSION_LOST']);
    expect(states).toEqual(['connecting 1', 'connected 1', 'closed 1']);
    session.reopen();
    expect(session.closed).toBe(true);
    await expect(session.connected()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('refuses a session that was opened too late', () => {
    session.close();
    expect(session.opened('late', timeoutMs, clock.now(), 0)).toBeNull();
  });
});

describe('a loss', () => {
  it('tells signals oldest first, then streams, then state$, then observers, then the driver, in one turn', () => {
    const epoch = open();
    const told: string[] = [];
    session.onLost(epoch, () => told.push('driver'), 'driver');
    session.onLost(epoch, () => told.push('end'), 'end');
    session.onLost(epoch, () => told.push('abort 1'), 'abort');
    session.onLost(epoch, () => told.push('abort 2'), 'abort');
    session.observe((state: SessionState) => told.push(`observer ${state.state}`));
    session.state$.subscribe(({ state }) => told.push(`state ${state}`));
    told.length = 0;
    session.lose(epoch, lost());
    expect(told).toEqual(['abort 1', 'abort 2', 'end', 'state lost', 'observer lost', 'driver']);
  });

  it('is declared by whoever asks first after a pause, before the answer', () => {
    const epoch = open();
    const told: string[] = [];
    session.onLost(epoch, () => told.push('told'));
    clock.freeze(timeoutMs);
    expect(session.alive()).toBe(false);
    expect(told).toEqual(['told']);
  });

  it('does not tell who took itself back meanwhile', () => {
    const epoch = open();
    const told: string[] = [];
    const stop = session.onLost(epoch, () => told.push('end'), 'end');
    session.onLost(epoch, () => stop(), 'abort');
    session.lose(epoch, lost());
    expect(told).toEqual([]);
  });

  it('tells at once who asks about an epoch that is over', () => {
    const epoch = open();
    session.lose(epoch, lost('why'));
    const told: string[] = [];
    session.onLost(epoch, (reason) => told.push(reason.message));
    expect(told).toEqual(['[SESSION_LOST] why']);
  });

  it('rejects who waits within the epoch and keeps who waits for any', async () => {
    const epoch = open();
    session.cut(epoch);
    const within = session.connected(epoch);
    const any = session.connected();
    session.lose(epoch, lost());
    await expect(within).rejects.toMatchObject({ code: 'SESSION_LOST' });
    session.reopen();
    session.opened('s2', timeoutMs, clock.now(), 0);
    await expect(any).resolves.toBe(2);
  });

  it('tells CLOSED apart from SESSION_LOST', async () => {
    const epoch = open();
    const told: string[] = [];
    session.onLost(epoch, (reason) => told.push(reason.code));
    session.close();
    expect(told).toEqual(['CLOSED']);
    await expect(session.connected(epoch)).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('a refusal', () => {
  it('rejects who waits, and who asks later, until a session opens', async () => {
    const waiting = session.connected();
    session.refuse(new CoordinationError('UNAUTHENTICATED', 'wrong password'));
    await expect(waiting).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    open();
    await expect(session.connected()).resolves.toBe(1);
  });
});
