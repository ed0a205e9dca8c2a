import { type Coordinator, createCoordinator } from '@concordat/core';
import { type Backend, CoordinationError, type Driver } from '@concordat/core/spi';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemoryStore, memory } from '../src/index.js';

const limit = { timeoutMs: 10_000 };
const refusal = new CoordinationError('BACKEND', 'out of space');
let store: MemoryStore;
let coordinators: Coordinator[];

beforeEach(() => {
  store = new MemoryStore();
  coordinators = [];
});
afterEach(async () => {
  await Promise.all(coordinators.map((each) => each.close()));
  store.close();
});

type Change = (backend: Backend) => Partial<Backend>;

/** A coordinator of which some requests go otherwise. */
function open(change: Change = () => ({}), link = store.link()): Coordinator {
  const driver: Driver = {
    ...memory,
    open: (options) => {
      const backend = memory.open(options);
      const changed = change(backend);
      return new Proxy(backend, {
        get(target, key) {
          const member: unknown = Reflect.get(Object.hasOwn(changed, key) ? changed : target, key);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      });
    },
  };
  const options = { storeName: link.address, sessionTimeoutMs: 3_000, allowShortSession: true };
  const coordinator = createCoordinator(driver, options);
  coordinators.push(coordinator);
  return coordinator;
}

/** Refuses the next write of that register, each time that `next` is called. */
function refusing(prefix: string): { readonly change: Change; next(): void } {
  let refusals = 0;
  return {
    change: (backend) => ({
      put: async (key, ...rest) => {
        if (!key.startsWith(prefix) || refusals === 0) return backend.put(key, ...rest);
        refusals -= 1;
        throw refusal;
      },
    }),
    next: () => {
      refusals += 1;
    },
  };
}

it('DOUB-27 takes a participant out whose leaving was refused, and lets the others go', async () => {
  const refused = refusing('double/');
  const [one, two, three] = [open(refused.change), open(), open()].map((each) => each.doubleBarrier('a', 3));
  await Promise.all([one?.enter(limit), two?.enter(limit), three?.enter(limit)]);
  refused.next();
  await expect(one?.leave(limit)).rejects.toMatchObject({ code: 'BACKEND' });
  await Promise.all([two?.leave(limit), three?.leave(limit)]);
});

it('DOUB-27 does not count a participant whose withdrawal was refused', async () => {
  const refused = refusing('double/');
  const [one, two, three] = [open(refused.change), open(), open()].map((each) => each.doubleBarrier('a', 2));
  const giveUp = new AbortController();
  const entering = one?.enter({ signal: giveUp.signal });
  await expect.poll(() => store.keys.some((key) => key.includes('double/'))).toBe(true);
  const { revision } = store;
  refused.next();
  giveUp.abort(new Error('enough'));
  await expect(entering).rejects.toThrow('enough');
  await expect.poll(() => store.revision).toBeGreaterThan(revision);
  await expect(two?.enter({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  await Promise.all([two?.enter(limit), three?.enter(limit)]);
});

it('DOUB-28 counts a participant that comes again once, while it is being taken back', async () => {
  const refused = refusing('double/');
  const one = open(refused.change).doubleBarrier('a', 2);
  const giveUp = new AbortController();
  const entering = one.enter({ signal: giveUp.signal });
  await expect.poll(() => store.keys.some((key) => key.includes('double/'))).toBe(true);
  refused.next();
  refused.next();
  giveUp.abort(new Error('enough'));
  await expect(entering).rejects.toThrow('enough');
  // With a limit, or with the next refusal: not once does it pass alone.
  for (const timeoutMs of [0, 300, 300])
    await expect(one.enter({ timeoutMs })).rejects.toBeInstanceOf(CoordinationError);
});

it('MEET-25 withdraws a value although that was refused at first', async () => {
  const refused = refusing('meet/');
  const publication = await open(refused.change).rendezvous('a').publish('value', limit);
  refused.next();
  await publication.withdraw();
  const next = await open().rendezvous('a').publish('next', limit);
  await next.withdraw();
});

it('SEM-33 grants an idle permit although the one before could not tell that he is in', async () => {
  let refusals = 1;
  const coordinators = [
    open(),
    open(),
    open((backend) => ({
      update: async (...args) => {
        refusals -= 1;
        if (refusals < 0) return backend.update(...args);
        throw new CoordinationError('PERMISSION_DENIED', 'not now');
      },
    })),
    open(),
  ];
  const [first, second, third, fourth] = coordinators.map((each) => each.semaphore('a', 2));
  const holders = [await first?.acquire(limit), await second?.acquire(limit)];
  const inLine = (): number => store.keys.filter((key) => key.includes('sem/')).length;
  const waiting = third?.acquire(limit);
  await expect.poll(inLine).toBe(3);
  const behind = fourth?.acquire(limit);
  await expect.poll(inLine).toBe(4);
  await holders[0]?.release();
  const middle = await waiting;
  await holders[1]?.release();
  const last = await behind;
  middle?.assertHeld();
  last?.assertHeld();
});

it('MIX-08 goes on with every stream once the layout that was refused can be read', async () => {
  const refused = refusing('format');
  for (let times = 0; times < 4; times += 1) refused.next();
  const coordinator = open(refused.change);
  const [group, config] = [coordinator.group('a'), coordinator.config('a')];
  const members: unknown[] = [];
  const values: unknown[] = [];
  group.members$.subscribe(({ members: present }) => members.push(present.map(({ id }) => id)));
  config.value$.subscribe(({ value, error }) => values.push(error?.code ?? value));
  await expect.poll(() => values).toContain('BACKEND');
  // Nobody else asks.
  await expect.poll(() => members.at(-1)).toEqual([]);
  await config.set('x', limit);
  await group.join('me', null, limit);
  await expect.poll(() => values.at(-1)).toBe('x');
  await expect.poll(() => members.at(-1)).toEqual(['me']);
});

it('MIX-08 goes on with every stream once the layout that two sessions were refused can be read', async () => {
  const link = store.link();
  let isRefused = true;
  const reading: Change = (backend) => ({
    get: async (key, ...rest) => {
      if (key === 'format' && isRefused) throw refusal;
      return backend.get(key, ...rest);
    },
  });
  const coordinator = open(reading, link);
  const states: unknown[] = [];
  coordinator.session$.subscribe(({ state, epoch }) => states.push(`${state} ${String(epoch)}`));
  const members: unknown[] = [];
  const values: unknown[] = [];
  coordinator.group('a').members$.subscribe(({ members: present }) => members.push(present.length));
  coordinator.config('a').value$.subscribe(({ value, error }) => values.push(error?.code ?? value ?? 'nothing'));
  await expect.poll(() => values).toEqual(['BACKEND']);
  link.cut();
  await expect.poll(() => states).toContain('lost 1');
  link.heal();
  await expect.poll(() => states.at(-1)).toBe('connected 2');
  expect([members, values.at(-1)]).toEqual([[], 'BACKEND']);
  isRefused = false;
  await expect.poll(() => members).toEqual([0]);
  await expect.poll(() => values.at(-1)).toBe('nothing');
});
