import { setTimeout as delay } from 'node:timers/promises';
import { CoordinationError, type Group } from 'concordat';
import { type Context, isSettled, outcomeOf, writeDown } from './context.js';

const limitMs = 8_000;

/** Joins a group, stays, leaves, and so on; when nothing is to be changed any more, whoever is in stays in. */
export async function comeAndGo(context: Context, group: Group<unknown>): Promise<void> {
  const { journal, settle } = context;
  const random = context.random('group');
  while (!isSettled(context)) {
    const op = `${context.name}:${context.next()}`;
    journal.write({ kind: 'call', op, action: 'join', name: 'group', limitMs });
    try {
      const membership = await group.join(context.name, null, { timeoutMs: limitMs });
      journal.write({ kind: 'return', op, outcome: 'ok' });
      await delay(random.between(2_000, 15_000), undefined, { signal: settle }).catch(() => undefined);
      if (!isSettled(context)) await writeDown(context, 'leave', 'group', () => membership.leave());
    } catch (error) {
      const code = CoordinationError.is(error) ? error.code : String(error);
      journal.write({ kind: 'return', op, outcome: outcomeOf(code), code });
    }
    await delay(random.between(100, 1_000));
  }
}
