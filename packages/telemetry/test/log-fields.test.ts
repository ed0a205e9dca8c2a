import { CoordinationError, type CoordinationEvent } from '@concordat/core';
import { expect, it } from 'vitest';
import { type LogFields, logFields } from '../src/index.js';
import { Stage } from './stage.js';

const anyNumber: unknown = expect.any(Number);

it('TEL-12 gives every event a form for JSON, with the token as text', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  const events: CoordinationEvent[] = [];
  coordinator.events$.subscribe((event) => events.push(event));
  const { token } = await coordinator.lock('a').acquire();
  await expect(coordinator.lock('a').acquire({ timeoutMs: 50 })).rejects.toThrow();
  const [session = ''] = stage.store.sessions;
  stage.store.expireSession(session);
  await expect.poll(() => events.some(({ type }) => type === 'grant-lost')).toBe(true);
  const lines = events.map((event) => JSON.parse(JSON.stringify(logFields(event))) as LogFields);
  const [entry] = events.flatMap((event) => ('entry' in event ? [event.entry] : []));
  const acquired = lines.find(({ event }) => event === 'acquired');
  const steps = { primitive: 'lock', name: 'a', epoch: 1, session, entry, token: String(token) };
  expect(acquired).toEqual({ event: 'acquired', ...steps, waitedMs: anyNumber });
  const lost = lines.find(({ event }) => event === 'grant-lost');
  expect(lost).toMatchObject({
    ...steps,
    code: 'GRANT_LOST',
    message: expect.stringContaining('is not held any more') as unknown,
  });
  expect(lines.find(({ event }) => event === 'gave-up')).toMatchObject({
    code: 'TIMEOUT',
    waitedMs: anyNumber,
  });
  expect(lines.find(({ event }) => event === 'session-lost')).toMatchObject({ code: 'SESSION_LOST', session });
  const entering = lines.find(({ operation }) => operation === 'enter');
  expect(entering).toEqual({ event: 'request', epoch: 1, session, operation: 'enter', durationMs: anyNumber });
});

it('TEL-12 names the error of a caller by its kind', () => {
  const base = { atMs: 1, epoch: 1, session: null, primitive: 'lock', name: 'a', entry: null, token: null } as const;
  const gaveUp = { ...base, type: 'gave-up', waitedMs: 3 } as const;
  expect(logFields({ ...gaveUp, reason: new TypeError('x') })).toMatchObject({ code: 'TypeError', message: 'x' });
  expect(logFields({ ...gaveUp, reason: 'enough' })).not.toHaveProperty('code');
  const timedOut = new CoordinationError('TIMEOUT', 'x');
  expect(logFields({ ...gaveUp, reason: timedOut })).toMatchObject({ code: 'TIMEOUT' });
});
