import { Subject } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../src/context.js';
import { OwnWatch } from '../src/lines/own-watch.js';
import type { Backend, Entry } from '../src/spi/backend.js';

const entry: Entry = { dir: 'lock/a', name: 'me', kind: 'lock', epoch: 1, created: 1n, seen: 1n };

describe('the watch of my own entry', () => {
  let watches: Subject<'gone'>[];
  let timers: { readonly again: () => void; readonly delayMs: number; isCancelled: boolean }[];
  let context: Context;
  let gone: number;
  const open = (): OwnWatch => new OwnWatch(context, entry, () => (gone += 1));

  beforeEach(() => {
    watches = [];
    timers = [];
    gone = 0;
    const gone$: Backend['gone'] = () => {
      const watch = new Subject<'gone'>();
      watches.push(watch);
      return watch;
    };
    const backend: Pick<Backend, 'gone'> = { gone: gone$ };
    const setTimer = (again: () => void, delayMs: number): { cancel(): void } => {
      const timer = { again, delayMs, isCancelled: false };
      timers.push(timer);
      return { cancel: () => (timer.isCancelled = true) };
    };
    context = { requests: { backend: () => backend }, clock: { setTimer } } as unknown as Context;
  });

  it('LOSS-16 is opened again after it was refused, with growing pauses, and tells then', () => {
    open();
    for (let times = 0; times < 8; times += 1) {
      watches.at(-1)?.error(new Error('refused'));
      expect(watches).toHaveLength(times + 1);
      timers.at(-1)?.again();
    }
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
    watches.at(-1)?.next('gone');
    expect(gone).toBe(1);
  });

  it('LOSS-16 is not opened again once it was stopped', () => {
    const [between, before] = [open(), open()];
    watches[0]?.error(new Error('refused'));
    between.stop();
    expect(timers.map(({ isCancelled }) => isCancelled)).toEqual([true]);
    before.stop();
    expect(watches.map(({ observed }) => observed)).toEqual([false, false]);
  });
});
