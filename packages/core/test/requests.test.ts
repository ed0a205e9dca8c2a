import { beforeEach, describe, expect, it } from 'vitest';
import { Requests } from '../src/requests.js';
import { type Backend, type Call, CoordinationError, Session } from '../src/spi/index.js';
import { ManualClock } from './manual-clock.js';

let clock: ManualClock;
let session: Session;
let requests: Requests;
let calls: Call[];

const backend = {} as Backend;

beforeEach(() => {
  clock = new ManualClock();
  session = new Session({ clock });
  requests = new Requests(session, clock, 4_000, () => backend);
  calls = [];
});

function open(): void {
  session.opened('s', 60_000, clock.now(), 0);
}

function unanswered(sent: boolean): (store: Backend, call: Call) => Promise<never> {
  return (_store, call) => {
    calls.push(call);
    if (sent) call.markSent();
    return new Promise<never>(() => undefined);
  };
}

describe('a request', () => {
  it('that was never sent ends UNAVAILABLE at its limit, waiting for a session included', async () => {
    const asked = requests.write(unanswered(true));
    clock.pass(4_000);
    await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(calls).toEqual([]);
    open();
    expect(calls).toEqual([]);
  });

  it('counts its limit from the call, not from the sending', async () => {
    const asked = requests.read(unanswered(true));
    clock.pass(3_000);
    open();
    expect(calls).toHaveLength(1);
    clock.pass(1_000);
    await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(calls[0]?.over).toBe(true);
  });

  it('that writes, was sent and got no answer ends OUTCOME_UNKNOWN', async () => {
    open();
    const sent = requests.write(unanswered(true));
    const unsent = requests.write(unanswered(false));
    const cut = requests.write((_store, call) => {
      call.markSent();
      return Promise.reject(new CoordinationError('OUTCOME_UNKNOWN', 'cut'));
    });
    await expect(cut).rejects.toMatchObject({ message: '[OUTCOME_UNKNOWN] cut' });
    clock.pass(4_000);
    await expect(sent).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
    await expect(unsent).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('that certainly changed nothing is asked again, over a reconnect as well, until its limit', async () => {
    open();
    let tries = 0;
    const cut = (): Promise<never> => {
      tries += 1;
      if (tries === 1) session.cut(1);
      return Promise.reject(new CoordinationError('UNAVAILABLE', 'cut'));
    };
    const later = requests.write((_store, call) => {
      call.markSent();
      return tries > 1 ? Promise.resolve('done') : cut();
    });
    await Promise.resolve();
    clock.pass(100);
    expect(tries).toBe(1);
    tries = 2;
    session.confirmed(1, clock.now());
    await expect(later).resolves.toBe('done');
  });

  it('ends with the close of the coordinator, and leaves no timer', async () => {
    open();
    const asked = requests.read(unanswered(true));
    session.close();
    await expect(asked).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(requests.read(unanswered(true))).rejects.toMatchObject({ code: 'CLOSED' });
    expect(clock.timers).toBe(0);
  });

  it('declares a loss before its reply is passed on after a pause', async () => {
    open();
    const order: string[] = [];
    session.onLost(1, () => order.push('lost'));
    let reply: (value: number) => void = () => undefined;
    const asked = requests.read(() => new Promise<number>((resolve) => (reply = resolve)));
    clock.freeze(60_000);
    reply(1);
    await asked.then(() => order.push('resolved'));
    expect(order).toEqual(['lost', 'resolved']);
  });

  it('within a session is refused when that one is over', async () => {
    open();
    session.lose(1, new CoordinationError('SESSION_LOST', 'gone'));
    await expect(requests.read(unanswered(true), 1)).rejects.toMatchObject({ code: 'SESSION_LOST' });
  });

  it('passes on what the store refused', async () => {
    open();
    const refused = requests.write((_store, call) => {
      call.markSent();
      return Promise.reject(new CoordinationError('PERMISSION_DENIED', 'no'));
    });
    await expect(refused).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});
