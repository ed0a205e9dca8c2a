import 'reflect-metadata';
import { CoordinationError, type Coordinator, createCoordinator } from '@concordat/core';
import { COORDINATOR, COORDINATOR_CONFIG, registerCoordinator } from '@concordat/core/di';
import { firstValueFrom } from 'rxjs';
import { inject, injectable, container as root } from 'tsyringe';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memory } from '../../driver-memory/src/index.js';

let stores = 0;

function config(): { driver: typeof memory; storeName: string } {
  stores += 1;
  return { driver: memory, storeName: `di-${String(stores)}` };
}

function container() {
  const child = root.createChildContainer();
  onTestFinished(async () => {
    await child.dispose();
  });
  return child;
}

async function stateOf(coordinator: Coordinator): Promise<string> {
  return (await firstValueFrom(coordinator.session$)).state;
}

@injectable()
class Reports {
  constructor(
    @inject(COORDINATOR) readonly coordinator: Coordinator,
    @inject(COORDINATOR_CONFIG) readonly config: unknown,
  ) {}
}

describe('a registered coordinator', () => {
  it('DI-01 is made when it is first asked for, one for the container and its children', () => {
    const parent = container();
    let made = 0;
    registerCoordinator(parent, () => {
      made += 1;
      return createCoordinator(memory, { storeName: 'di-lazy' });
    });
    expect(made).toBe(0);
    const child = parent.createChildContainer();
    const fromChild = child.resolve(COORDINATOR);
    expect([parent.resolve(COORDINATOR), child.createChildContainer().resolve(COORDINATOR)]).toEqual([
      fromChild,
      fromChild,
    ]);
    expect(made).toBe(1);
    const other = container();
    registerCoordinator(other, config());
    expect(other.resolve(COORDINATOR)).not.toBe(fromChild);
  });

  it('DI-02 is closed with its container, which waits for it', async () => {
    const parent = container();
    const shared = config();
    registerCoordinator(parent, shared);
    const coordinator = parent.resolve(COORDINATOR);
    const grant = await coordinator.lock('a').acquire();
    await parent.dispose();
    expect(await stateOf(coordinator)).toBe('closed');
    expect(grant.signal.aborted).toBe(true);
    const next = createCoordinator(memory, { storeName: shared.storeName });
    expect(await next.lock('a').tryAcquire()).toBeDefined();
    await next.close();
  });

  it('DI-02 is not opened by the disposal of a container that never asked for it', async () => {
    const parent = container();
    registerCoordinator(parent, () => {
      throw new Error('nobody asked');
    });
    await parent.dispose();
  });

  it('DI-02 outlives a child that was the first to ask for it', async () => {
    const parent = container();
    registerCoordinator(parent, config());
    const child = parent.createChildContainer();
    const { coordinator } = child.resolve(Reports);
    await child.dispose();
    await coordinator.ready();
    expect(parent.resolve(COORDINATOR)).toBe(coordinator);
    expect(await stateOf(coordinator)).toBe('connected');
  });

  it('DI-02 of a child is its own, and ends with it', async () => {
    const parent = container();
    registerCoordinator(parent, config());
    const child = parent.createChildContainer();
    registerCoordinator(child, config());
    const [outer, inner] = [parent.resolve(COORDINATOR), child.resolve(COORDINATOR)];
    expect(inner).not.toBe(outer);
    await Promise.all([inner.ready(), outer.ready()]);
    await child.dispose();
    expect([await stateOf(inner), await stateOf(outer)]).toEqual(['closed', 'connected']);
  });

  it('DI-03 reaches a constructor by its token, without types from the compiler', async () => {
    const parent = container();
    const given = config();
    registerCoordinator(parent, given);
    const reports = parent.resolve(Reports);
    expect(reports.coordinator).toBe(parent.resolve(COORDINATOR));
    expect(reports.config).toBe(given);
    expect(await reports.coordinator.lock('a').with(() => 'done')).toBe('done');
  });

  it('DI-04 is made by a function from what the container holds', async () => {
    const parent = container();
    parent.registerInstance('STORE', 'di-function');
    registerCoordinator(parent, (from) => createCoordinator(memory, { storeName: from.resolve<string>('STORE') }));
    await parent.resolve(COORDINATOR).ready();
  });

  it('DI-04 says what is wrong with its configuration when it is asked for, and again', () => {
    const parent = container();
    registerCoordinator(parent, { driver: memory, storeName: 'di', sessionTimeoutMs: 1 });
    for (const _ of [1, 2]) {
      let reason: unknown;
      try {
        parent.resolve(COORDINATOR);
      } catch (error) {
        reason = error;
      }
      expect(CoordinationError.is(reason, 'INVALID_ARGUMENT')).toBe(true);
    }
    expect(() => parent.resolve(Reports)).toThrow(/sessionTimeoutMs/);
  });

  it.each([null, 5, () => undefined, async () => createCoordinator(memory, { storeName: 'di' })])(
    'DI-04 refuses what is no configuration, and what makes no coordinator: %o',
    async (wrong) => {
      const parent = container();
      registerCoordinator(parent, wrong as never);
      expect(() => parent.resolve(COORDINATOR)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
      await parent.dispose();
    },
  );
});
