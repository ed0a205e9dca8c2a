import { concat, NEVER, of } from 'rxjs';
import { expect, it } from 'vitest';
import type { Context } from '../src/context.js';
import { CoordinationError, type CoordinationErrorCode } from '../src/errors.js';
import { waitingLine } from '../src/lines/waiting-line.js';
import { Session } from '../src/spi/session.js';
import { ManualClock } from './manual-clock.js';

/** What an observer of a line is told while the format register cannot be read. */
async function toldWith(code: CoordinationErrorCode): Promise<readonly string[]> {
  const clock = new ManualClock();
  const session = new Session({ clock });
  session.opened('s1', 12_000, clock.now(), 0);
  const parts: Pick<Context, 'session'> & { readonly layout: unknown; readonly watches: unknown } = {
    session,
    layout: {
      onMended: () => () => undefined,
      tokenBase: () => Promise.reject(new CoordinationError(code, 'the format register')),
    },
    watches: { children: () => concat(of([]), NEVER) },
  };
  const told: string[] = [];
  waitingLine(parts as Context, 'lock/a').subscribe({
    next: () => told.push('a line'),
    error: (error: unknown) => told.push(CoordinationError.is(error) ? error.code : 'another error'),
  });
  await new Promise((resolve) => setImmediate(resolve));
  return told;
}

it.each(['PERMISSION_DENIED', 'UNAUTHENTICATED'] as const)('tells %s, and is not silent for ever', async (code) => {
  expect(await toldWith(code)).toEqual([code]);
});

it('waits for the next session when this one ended meanwhile', async () => {
  expect(await toldWith('SESSION_LOST')).toEqual([]);
});
