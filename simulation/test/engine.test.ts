import { MemoryStore } from '@concordat/driver-memory';
import { describe, expect, it } from 'vitest';
import { Random } from '../engine/random.js';
import { Scheduler } from '../engine/scheduler.js';
import { SimulatedProcess } from '../engine/simulated-process.js';
import { enclose } from '../engine/surroundings.js';
import { Trace } from '../engine/trace.js';
import { type Weather, Wire } from '../engine/wire.js';

const calm: Weather = { usualMs: [1, 30], slow: 0, slowMs: 0, lostRequest: 0, lostMessage: 0 };

function schedulerOf(trace = new Trace(false), threw: (error: unknown) => void = fail): Scheduler {
  return new Scheduler(trace, threw);
}

function fail(error: unknown): never {
  throw error;
}

async function run(scheduler: Scheduler, untilMs: number): Promise<void> {
  scheduler.plan(untilMs, null, 'end', () => scheduler.stop());
  await scheduler.run();
}

describe('the scheduler', () => {
  it('runs tasks in order of time, those of one moment in the order in which they were planned', async () => {
    const scheduler = schedulerOf();
    const ran: string[] = [];
    for (const [delayMs, name] of [
      [5, 'c'],
      [1, 'a'],
      [5, 'd'],
      [2, 'b'],
    ] as const)
      scheduler.plan(delayMs, null, name, () => ran.push(`${name} at ${scheduler.now}`));
    scheduler.plan(3, null, 'never', () => ran.push('never')).cancel();
    await run(scheduler, 10);
    expect(ran).toEqual(['a at 1', 'b at 2', 'c at 5', 'd at 5']);
  });

  it('lets every microtask run before the next task, however long their chain is', async () => {
    const scheduler = schedulerOf();
    const ran: string[] = [];
    scheduler.plan(1, null, 'first', () => {
      void (async () => {
        for (let step = 0; step < 100; step++) await new Promise<void>((resolve) => queueMicrotask(resolve));
        ran.push('the end of a chain');
      })();
    });
    scheduler.plan(1, null, 'second', () => ran.push('the next task'));
    await run(scheduler, 2);
    expect(ran).toEqual(['the end of a chain', 'the next task']);
  });

  it('tells what a task threw, and goes on', async () => {
    const thrown: unknown[] = [];
    const scheduler = schedulerOf(new Trace(false), (error) => thrown.push(error));
    scheduler.plan(1, null, 'throws', () => fail(new Error('on purpose')));
    await run(scheduler, 2);
    expect(thrown).toEqual([new Error('on purpose')]);
  });

  it('rejects when nothing is left to do', async () => {
    await expect(schedulerOf().run()).rejects.toThrow('nothing is planned');
  });
});

describe('a simulated process', () => {
  it('does nothing while it is paused, and finds everything due after it', async () => {
    const scheduler = schedulerOf();
    const paused = new SimulatedProcess('paused', scheduler, new Random('a'));
    const other = new SimulatedProcess('other', scheduler, new Random('b'));
    const ran: string[] = [];
    paused.pause();
    paused.clock.setTimer(() => ran.push('its timer'), 10);
    other.clock.setTimer(() => ran.push('another timer'), 20);
    scheduler.plan(50, null, 'resumes', () => paused.resume());
    scheduler.plan(40, null, 'looks', () => ran.push(`attentive: ${paused.attentive}`));
    await run(scheduler, 60);
    expect(ran).toEqual(['another timer', 'attentive: false', 'its timer']);
    expect(paused.attentive).toBe(true);
  });

  it('keeps its messages in their order, mixed with its timers as the seed has it', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const scheduler = schedulerOf();
      const process = new SimulatedProcess('p', scheduler, new Random(String(seed)));
      let order = '';
      process.pause();
      for (const name of ['1', '2', '3']) process.plan(1, 'message', () => (order += name));
      process.clock.setTimer(() => (order += 't'), 1);
      scheduler.plan(30, null, 'resumes', () => process.resume());
      await run(scheduler, 40);
      expect(order.replace('t', '')).toBe('123');
      orders.add(order);
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  it('is gone for good when it is killed', async () => {
    const scheduler = schedulerOf();
    const process = new SimulatedProcess('p', scheduler, new Random('a'));
    process.clock.setTimer(() => fail(new Error('it is dead')), 10);
    scheduler.plan(5, null, 'kills', () => process.kill());
    await run(scheduler, 20);
    process.resume();
    expect([process.dead, process.attentive]).toEqual([true, false]);
  });

  it('has a clock that never runs ahead of a timer', async () => {
    for (let seed = 0; seed < 50; seed++) {
      const scheduler = schedulerOf();
      const { clock } = new SimulatedProcess('p', scheduler, new Random(String(seed)));
      const startedAt = clock.now();
      clock.setTimer(() => expect(clock.now() - startedAt).toBeGreaterThanOrEqual(99.99), 100);
      await run(scheduler, 200);
    }
  });
});

describe('a wire', () => {
  it('keeps the order of requests on one connection, whatever time each takes', async () => {
    const scheduler = schedulerOf();
    const { clock } = new SimulatedProcess('store', scheduler, new Random('store'));
    const store = new MemoryStore({ clock });
    const process = new SimulatedProcess('p', scheduler, new Random('p'));
    const { link } = new Wire(store, process, scheduler, new Random('wire'), () => calm);
    const answered: number[] = [];
    const connection = link.connect({
      opened: () => {
        for (let id = 1; id <= 20; id++) connection.send({ id, operation: 'get', request: { key: 'a' } });
      },
      received: (message) => {
        if (message.type === 'reply') answered.push(message.id);
      },
      closed: () => undefined,
    });
    await run(scheduler, 200);
    store.close();
    expect(answered).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('breaks its connection instead of losing a message alone', async () => {
    const scheduler = schedulerOf();
    const { clock } = new SimulatedProcess('store', scheduler, new Random('store'));
    const store = new MemoryStore({ clock });
    const process = new SimulatedProcess('p', scheduler, new Random('p'));
    const { link } = new Wire(store, process, scheduler, new Random('wire'), () => ({ ...calm, lostRequest: 1 }));
    const told: string[] = [];
    const connection = link.connect({
      opened: () => connection.send({ id: 1, operation: 'get', request: { key: 'a' } }),
      received: () => told.push('a message'),
      closed: () => told.push('closed'),
    });
    await run(scheduler, 200);
    store.close();
    expect(told).toEqual(['closed']);
  });
});

describe('numbers at random', () => {
  it('depend on the seed and the name of the stream alone', () => {
    const some = (random: Random): readonly number[] => [random.next(), random.next(), random.next()];
    expect(some(new Random('1'))).toEqual(some(new Random('1')));
    expect(some(new Random('1'))).not.toEqual(some(new Random('2')));
    const drawn = new Random('1');
    drawn.next();
    expect(some(drawn.fork('a'))).toEqual(some(new Random('1').fork('a')));
    expect(some(drawn.fork('a'))).not.toEqual(some(drawn.fork('b')));
  });

  it('are spread evenly', () => {
    const random = new Random('even');
    const counts = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 10_000; draw++) {
      const drawn = random.whole(0, 9);
      counts[drawn] = (counts[drawn] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(900);
    expect(Math.max(...counts)).toBeLessThan(1_100);
    expect([random.chance(0), random.chance(1)]).toEqual([false, true]);
    expect(() => random.pick([])).toThrow(RangeError);
  });
});

describe('the surroundings', () => {
  it('answer by the seed for the time of a run, and are given back after it', () => {
    const real = { random: Math.random, date: Date.now, timeout: globalThis.setTimeout, now: performance.now };
    const strays: string[] = [];
    const giveBack = enclose({ now: () => 1_234.5, random: new Random('1'), stray: (what) => strays.push(what) });
    try {
      expect(Math.random()).toBe(new Random('1').next());
      expect(performance.now()).toBe(1_234.5);
      expect(Date.now()).toBe(Date.UTC(2026, 0, 1) + 1_234);
      expect(() => setTimeout(() => undefined, 1)).toThrow('a timer of the machine');
    } finally {
      giveBack();
    }
    expect(strays).toEqual(['past the simulation']);
    expect({ random: Math.random, date: Date.now, timeout: globalThis.setTimeout, now: performance.now }).toEqual(real);
  });
});
