import { type Coordinator, createCoordinator } from '@concordat/core';
import type { Backend, Driver } from '@concordat/core/spi';
import { afterEach, expect, it, vi } from 'vitest';
import { MemoryStore, memory } from '../src/index.js';

const sessionTimeoutMs = 3_000;
const longestPath = 60;

afterEach(() => vi.restoreAllMocks());

/** A driver with which the clock passes the session `hops` promises after the first answer to a `call`. */
function stalling(
  call: 'enter' | 'put',
  hops: number,
): { readonly driver: Driver; readonly hasStalled: () => boolean } {
  const now = performance.now.bind(performance);
  let isStalled = false;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + (isStalled ? 10 * sessionTimeoutMs : 0));
  const stall = async (): Promise<void> => {
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    isStalled = true;
  };
  const stalled = (backend: Backend): Backend =>
    new Proxy(backend, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        if (key !== call) return member.bind(target) as unknown;
        return async (...args: unknown[]): Promise<unknown> => {
          const answer: unknown = await Reflect.apply(member, target, args);
          // Of everything else that is put the layout comes first.
          if (!isStalled && args[0] !== 'format') void stall();
          return answer;
        };
      },
    });
  return { driver: { ...memory, open: (options) => stalled(memory.open(options)) }, hasStalled: () => isStalled };
}

type Work = (coordinator: Coordinator, work: () => void) => Promise<unknown>;

async function requireNoneLate(request: 'enter' | 'put', call: Work): Promise<void> {
  let lostBefore = 0;
  for (let hops = 0; hops < longestPath; hops += 1) {
    const store = new MemoryStore();
    const { driver, hasStalled } = stalling(request, hops);
    const options = { storeName: store.link().address, sessionTimeoutMs, allowShortSession: true };
    const coordinator = createCoordinator(driver, options);
    let told = '';
    coordinator.session$.subscribe(({ state, epoch }) => {
      told = `${state} ${epoch}`;
    });
    await coordinator.ready();
    let begun = null as { readonly hasStalled: boolean; readonly told: string } | null;
    await call(coordinator, () => {
      begun ??= { hasStalled: hasStalled(), told };
    }).catch(() => undefined);
    if (begun === null || begun.told !== 'connected 1') lostBefore += 1;
    expect(begun, `${hops} promises after the entry`).not.toMatchObject({ hasStalled: true, told: 'connected 1' });
    await coordinator.close();
    store.close();
    vi.restoreAllMocks();
  }
  // Both happened: lost before it began, and begun before the loss.
  expect(lostBefore).toBeGreaterThan(0);
  expect(lostBefore).toBeLessThan(longestPath);
}

it('LOSS-15 begins no work of with after a loss that was not told', () =>
  requireNoneLate('enter', (coordinator, work) => coordinator.lock('a').with(work)));

it('LOSS-15 begins no work of once after a loss that was not told', () =>
  requireNoneLate('put', (coordinator, work) => coordinator.idempotency('a').run('key', work)));
