import { beforeEach, describe, expect, it } from 'vitest';
import type { WaitOptions } from '../src/limits.js';
import { CoordinationError, Session } from '../src/spi/index.js';
import { Wait } from '../src/wait.js';
import { ManualClock } from './manual-clock.js';

let clock: ManualClock;
let session: Session;

beforeEach(() => {
  clock = new ManualClock();
  session = new Session({ clock });
  session.opened('s', 60_000, clock.now(), 0);
});

function wait(options: WaitOptions): Wait {
  return new Wait(options, session, clock, () => 'place 2');
}

const never = new Promise<never>(() => undefined);
const reason = { mine: true };

describe('a wait', () => {
  it('ends with the reason of the abort, unchanged', async () => {
    const controller = new AbortController();
    const raced = wait({ signal: controller.signal }).race(never);
    controller.abort(reason);
    await expect(raced).rejects.toBe(reason);
  });

  it('ends at its limit and says where it stood', async () => {
    const raced = wait({ timeoutMs: 500 }).race(never);
    clock.pass(500);
    await expect(raced).rejects.toMatchObject({ code: 'TIMEOUT', message: '[TIMEOUT] place 2; waited 500 ms' });
  });

  it('ends with the close of the coordinator', async () => {
    const raced = wait({}).race(never);
    session.close();
    await expect(raced).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('prefers abort over timeout and timeout over what the store said', async () => {
    const controller = new AbortController();
    const both = wait({ signal: controller.signal, timeoutMs: 10 });
    const one = wait({ timeoutMs: 10 });
    const storeError = Promise.reject(new CoordinationError('UNAVAILABLE', 'x'));
    clock.freeze(20);
    controller.abort(reason);
    await expect(both.race(storeError)).rejects.toBe(reason);
    await expect(one.race(storeError)).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('is over from the start for a signal that is aborted already, and for a limit of zero', async () => {
    await expect(wait({ signal: AbortSignal.abort(reason) }).race(Promise.resolve(1))).rejects.toBe(reason);
    await expect(wait({ timeoutMs: 0 }).connected()).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('passes a value that came too late to who has to clean it up', async () => {
    const late: number[] = [];
    const one = wait({ timeoutMs: 10 });
    const value = new Promise<number>((resolve) => clock.setTimer(() => resolve(7), 20));
    const raced = one.race(value, (number) => late.push(number));
    clock.pass(20);
    await expect(raced).rejects.toMatchObject({ code: 'TIMEOUT' });
    await value;
    expect(late).toEqual([7]);
  });

  it('declares a loss before it resolves anything after a pause', async () => {
    const order: string[] = [];
    session.onLost(1, () => order.push('lost'));
    let resolve: (value: number) => void = () => undefined;
    const raced = wait({}).race(new Promise<number>((done) => (resolve = done)));
    clock.freeze(60_000);
    resolve(1);
    await raced.then(() => order.push('resolved'));
    expect(order).toEqual(['lost', 'resolved']);
  });

  it('leaves no timer and no listener when it is finished', async () => {
    const before = clock.timers;
    const controller = new AbortController();
    const one = wait({ signal: controller.signal, timeoutMs: 1_000 });
    await one.race(Promise.resolve(1));
    one.finish();
    controller.abort();
    expect([clock.timers, one.ended]).toEqual([before, false]);
  });
});
