import { beforeEach, expect, it } from 'vitest';
import { AlteredStore, type Change, refusal, refusing } from './support/altered-store.js';

const limit = { timeoutMs: 10_000 };
let altered: AlteredStore;
beforeEach(() => {
  altered = new AlteredStore();
});

it('MIX-08 goes on with every stream once the layout that was refused can be read', async () => {
  const refused = refusing('format');
  refused.next(4);
  const coordinator = altered.open(refused.change);
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
  const link = altered.store.link();
  let isRefused = true;
  const reading: Change = (backend) => ({
    get: async (key, ...rest) => {
      if (key === 'format' && isRefused) throw refusal;
      return backend.get(key, ...rest);
    },
  });
  const coordinator = altered.open(reading, link);
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
