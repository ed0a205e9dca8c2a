import { beforeEach, expect, it } from 'vitest';
import { AlteredStore, refusing } from './support/altered-store.js';

const limit = { timeoutMs: 10_000 };
let altered: AlteredStore;
beforeEach(() => {
  altered = new AlteredStore();
});

it('ONCE-28 records a result although that was refused at first', async () => {
  const refused = refusing('once/');
  const gate = altered.open(refused.change).idempotency('a');
  const work = (): string => {
    refused.next();
    return 'done';
  };
  expect(await gate.run('key', work, limit)).toBe('done');
  expect(
    await altered
      .open()
      .idempotency('a')
      .run('key', () => 'again', limit),
  ).toBe('done');
});

it('ONCE-28 leaves a key free although that was refused at first', async () => {
  const refused = refusing('once/');
  const gate = altered.open(refused.change).idempotency('a');
  const work = (): string => {
    refused.next();
    throw new Error('not today');
  };
  await expect(gate.run('key', work, limit)).rejects.toThrow('not today');
  expect(
    await altered
      .open()
      .idempotency('a')
      .run('key', () => 'done', limit),
  ).toBe('done');
});

it('ONCE-28 says why a result could not be recorded', async () => {
  const refused = refusing('once/');
  const gate = altered.open(refused.change).idempotency('a');
  const work = (): string => {
    refused.next(100);
    return 'done';
  };
  const reason: unknown = await gate.run('key', work, limit).catch((error: unknown) => error);
  expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'TIMEOUT' } });
  expect(String((reason as Error).cause)).toContain('out of space');
});
