import { expect, it } from 'vitest';
import type { Connection, Failure, FailureCode, NodeStat } from '../src/connection.js';
import { Paths } from '../src/keys.js';
import { Registers } from '../src/registers.js';
import type { SessionKeeper } from '../src/session-keeper.js';
import { call } from './support/open.js';

const stat: NodeStat = { created: 1n, modified: 2n, version: 1, owner: '1', dataLength: 1 };
const failed = (code: FailureCode): Failure => ({ ok: false, code, message: code });

/** The first half of a deletion empties the node, the second removes it; each goes as told. */
async function codeOfDeletion(emptied: Failure | null, removed: Failure): Promise<unknown> {
  const connection: Partial<Connection> = {
    get: async () => ({ ok: true, value: { stat, data: new Uint8Array(1) } }),
    set: async () => emptied ?? { ok: true, value: { ...stat, version: 2, dataLength: 0 } },
    delete: async () => removed,
  };
  const registers = new Registers({ use: () => connection } as unknown as SessionKeeper, new Paths('ns'));
  const error: unknown = await registers.delete('config/a', {}, call()).catch((reason: unknown) => reason);
  return (error as { readonly code: unknown }).code;
}

it.each(['unsent', 'lost', 'expired'] as const)(
  'does not know what became of a deletion whose second half was %s',
  async (code) => {
    expect(await codeOfDeletion(null, failed(code))).toBe('OUTCOME_UNKNOWN');
  },
);

it('says why the second half of a deletion was refused', async () => {
  expect(await codeOfDeletion(null, failed('no-auth'))).toBe('PERMISSION_DENIED');
});

it('says that a deletion whose first half was not sent changed nothing', async () => {
  expect(await codeOfDeletion(failed('unsent'), failed('unsent'))).toBe('UNAVAILABLE');
});
