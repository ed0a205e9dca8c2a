import type { Backend } from '@concordat/core/spi';
import { throwError } from 'rxjs';
import { beforeEach, expect, it } from 'vitest';
import { AlteredStore, type Change, refusal } from './support/altered-store.js';

const limit = { timeoutMs: 10_000 };
let altered: AlteredStore;
beforeEach(() => {
  altered = new AlteredStore();
});

/** Refuses to watch entries of its own, as long as that is so. */
function blind(): { readonly change: Change; see(): void } {
  let isBlind = true;
  return {
    change: (backend) => {
      const gone$: Backend['gone'] = (ref, options) =>
        isBlind && 'epoch' in ref ? throwError(() => refusal) : backend.gone(ref, options);
      return { gone: gone$ } satisfies Partial<Backend>;
    },
    see: () => {
      isBlind = false;
    },
  };
}

it('LOSS-16 tells a holder of a deletion by hand that it could not see at first', async () => {
  const { change, see } = blind();
  const grant = await altered.open(change).lock('a').acquire(limit);
  altered.deleteEntry('lock/');
  const next = await altered.open().lock('a').acquire(limit);
  grant.assertHeld();
  see();
  await expect.poll(() => grant.signal.aborted).toBe(true);
  expect(grant.signal.reason).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'NOT_FOUND' } });
  next.assertHeld();
});

it('GROUP-33 tells a member of a deletion by hand that it could not see at first', async () => {
  const { change, see } = blind();
  const membership = await altered.open(change).group('a').join('me', null, limit);
  altered.deleteEntry('group/');
  see();
  await expect.poll(() => membership.signal.aborted).toBe(true);
  expect(membership.signal.reason).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'NOT_FOUND' } });
});
