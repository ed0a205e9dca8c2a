import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Pace } from '../src/shared-state/pace.js';
import { CoordinationError, Session } from '../src/spi/index.js';
import { untilAnswered } from '../src/until-answered.js';
import { Wait } from '../src/wait.js';
import { ManualClock } from './manual-clock.js';

// pulsar#10522: an election that looped for ever. Each pause is twice the one before, up to two seconds.
const pauses = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000];

describe('between tries that were not answered', () => {
  let clock: ManualClock;
  let session: Session;

  beforeEach(() => {
    clock = new ManualClock();
    session = new Session({ clock });
    session.opened('s', 60_000, clock.now(), 0);
  });

  /** Lets time pass in small steps, and everybody act in each of them. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      await setImmediate();
      clock.pass(10);
    }
    await setImmediate();
  }

  it('pauses grow, to two seconds at most, and the last one ends with the limit', async () => {
    const wait = new Wait({ timeoutMs: 10_000 }, session, clock, () => 'asked');
    const askedAt: number[] = [];
    const asking = untilAnswered(wait, () => {
      askedAt.push(clock.now());
      return Promise.reject(new CoordinationError('UNAVAILABLE', 'not now'));
    });
    const ended = expect(asking).rejects.toMatchObject({ code: 'TIMEOUT' });
    await pass(10_000);
    await ended;
    expect(askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0))).toEqual(pauses);
    expect(clock.now()).toBe(1_000 + 10_000);
  });

  it('pauses of who shares a register grow likewise, and begin anew once it was answered', () => {
    const pace = new Pace();
    expect(pauses.map(() => pace.afterTrouble())).toEqual(pauses);
    pace.answered();
    expect(pace.afterTrouble()).toBe(50);
  });
});
