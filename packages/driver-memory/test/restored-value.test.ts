import { createCoordinator } from '@concordat/core';
import { expect, it, onTestFinished } from 'vitest';
import { MemoryStore, memory } from '../src/index.js';

it('CONF-26 does not lose an update of another when the store was restored, and gives the version that was read again', async () => {
  const store = new MemoryStore();
  onTestFinished(() => store.close());
  const open = () => {
    const options = { storeName: store.link().address, sessionTimeoutMs: 3_000, allowShortSession: true };
    const coordinator = createCoordinator(memory, options);
    onTestFinished(() => coordinator.close());
    return coordinator;
  };
  const one = open();
  let epoch = 0;
  one.session$.subscribe((state) => {
    epoch = state.epoch;
  });
  await one.config('a').set('old');
  const restore = store.backUp();
  for (let count = 0; count < 20; count += 1) store.write('filler', new Uint8Array(1));
  const read = await one.config('a').set('read');
  const currents: unknown[] = [];
  await one.config('a').update(async (current) => {
    currents.push(current);
    if (currents.length > 1) return `${String(current)}, and one`;
    restore();
    await expect.poll(() => epoch).toBeGreaterThanOrEqual(2);
    const other = open();
    await Promise.all([one.ready(), other.ready()]);
    // From here on nothing changes by itself: the session before was ended, too.
    await expect.poll(() => store.sessions).toHaveLength(2);
    while (store.revision < read - 1n) store.write('filler', new Uint8Array(1));
    expect(await other.config('a').set('other')).toBe(read);
    return 'one alone';
  });
  expect(currents).toEqual(['read', 'other']);
  expect(await one.config('a').get()).toMatchObject({ value: 'other, and one' });
});
