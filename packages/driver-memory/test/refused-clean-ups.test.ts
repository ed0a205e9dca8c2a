import { CoordinationError } from '@concordat/core/spi';
import { beforeEach, expect, it } from 'vitest';
import { AlteredStore, refusing } from './support/altered-store.js';

const limit = { timeoutMs: 10_000 };
let altered: AlteredStore;
beforeEach(() => {
  altered = new AlteredStore();
});

it('DOUB-27 takes a participant out whose leaving was refused, and lets the others go', async () => {
  const refused = refusing('double/');
  const [one, two, three] = [altered.open(refused.change), altered.open(), altered.open()].map((each) =>
    each.doubleBarrier('a', 3),
  );
  await Promise.all([one?.enter(limit), two?.enter(limit), three?.enter(limit)]);
  refused.next();
  await expect(one?.leave(limit)).rejects.toMatchObject({ code: 'BACKEND' });
  await Promise.all([two?.leave(limit), three?.leave(limit)]);
});

it('DOUB-27 does not count a participant whose withdrawal was refused', async () => {
  const refused = refusing('double/');
  const [one, two, three] = [altered.open(refused.change), altered.open(), altered.open()].map((each) =>
    each.doubleBarrier('a', 2),
  );
  const giveUp = new AbortController();
  const entering = one?.enter({ signal: giveUp.signal });
  await expect.poll(() => altered.count('double/')).toBe(1);
  const { revision } = altered.store;
  refused.next();
  giveUp.abort(new Error('enough'));
  await expect(entering).rejects.toThrow('enough');
  await expect.poll(() => altered.store.revision).toBeGreaterThan(revision);
  await expect(two?.enter({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  await Promise.all([two?.enter(limit), three?.enter(limit)]);
});

it('DOUB-28 counts a participant that comes again once, while it is being taken back', async () => {
  const refused = refusing('double/');
  const one = altered.open(refused.change).doubleBarrier('a', 2);
  const giveUp = new AbortController();
  const entering = one.enter({ signal: giveUp.signal });
  await expect.poll(() => altered.count('double/')).toBe(1);
  refused.next(2);
  giveUp.abort(new Error('enough'));
  await expect(entering).rejects.toThrow('enough');
  // With a limit, or with the next refusal: not once does it pass alone.
  for (const timeoutMs of [0, 300, 300])
    await expect(one.enter({ timeoutMs })).rejects.toBeInstanceOf(CoordinationError);
});

it('DOUB-28 counts a participant that comes again once, while its leaving is being finished', async () => {
  const refused = refusing('double/');
  const [one, two, three] = [altered.open(refused.change), altered.open(), altered.open()].map((each) =>
    each.doubleBarrier('a', 3),
  );
  await Promise.all([one?.enter(limit), two?.enter(limit), three?.enter(limit)]);
  refused.next(3);
  await expect(one?.leave(limit)).rejects.toMatchObject({ code: 'BACKEND' });
  await expect(one?.enter(limit)).rejects.toMatchObject({ code: 'BACKEND' });
  await Promise.all([two?.leave(limit), three?.leave(limit)]);
});

it('MEET-25 withdraws a value although that was refused at first', async () => {
  const refused = refusing('meet/');
  const publication = await altered.open(refused.change).rendezvous('a').publish('value', limit);
  refused.next();
  await publication.withdraw();
  const next = await altered.open().rendezvous('a').publish('next', limit);
  await next.withdraw();
});

it('SEM-33 grants an idle permit although the one before could not tell that he is in', async () => {
  let refusals = 1;
  const coordinators = [
    altered.open(),
    altered.open(),
    altered.open((backend) => ({
      update: async (...args) => {
        refusals -= 1;
        if (refusals < 0) return backend.update(...args);
        throw new CoordinationError('PERMISSION_DENIED', 'not now');
      },
    })),
    altered.open(),
  ];
  const [first, second, third, fourth] = coordinators.map((each) => each.semaphore('a', 2));
  const holders = [await first?.acquire(limit), await second?.acquire(limit)];
  const inLine = (): number => altered.count('sem/');
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
