import { type OpenOptions, systemClock } from '@concordat/core/spi';
import { expect, it } from 'vitest';
import type { Transport } from '../src/connection.js';
import { Dialer } from '../src/dialer.js';

const standing = { identity: { id: '1', password: '' }, seen: 9n };

/** Asks two servers to end a session, of which each knows what it saw as far as is said, and answers in which order they were told what. */
async function toldOnEnding(known: readonly bigint[]): Promise<readonly bigint[]> {
  const told: bigint[] = [];
  const transport: Pick<Transport, 'endSession'> = {
    endSession: ({ port }, { seen }) => {
      told.push(seen);
      return Promise.resolve(seen <= (known[port - 1] ?? 0n));
    },
  };
  const hosts = known.map((_, index) => ({ host: '127.0.0.1', port: index + 1 }));
  const options = { hosts, clock: systemClock, sessionTimeoutMs: 6_000 } as unknown as OpenOptions;
  await new Dialer(options, transport as Transport).end(standing, new AbortController().signal);
  return told;
}

it('is asked of servers that know what it saw, and of others only when there is none', async () => {
  expect((await toldOnEnding([8n, 9n])).at(-1)).toBe(9n);
  expect(await toldOnEnding([8n, 8n])).toEqual([9n, 9n, 0n]);
});
