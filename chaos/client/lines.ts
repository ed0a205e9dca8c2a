import { setTimeout as delay } from 'node:timers/promises';
import { CoordinationError, type Lock } from 'concordat';
import { nowMs } from '../clock.js';
import type { Primitive } from '../records.js';
import { type Context, isSettled, outcomeOf, writeDown } from './context.js';
import { useGrant } from './hold.js';

/** One thing to stand in line for again and again. */
export interface Contended {
  readonly primitive: Extract<Primitive, 'lock' | 'semaphore'>;
  readonly name: string;
  readonly permits: number;
  readonly line: Lock;
}

/** Stands in line, holds, lets go, and so on, until nothing is to be changed any more. */
export async function contend(context: Context, { primitive, name, permits, line }: Contended): Promise<void> {
  const random = context.random(`${primitive}/${name}`);
  while (!isSettled(context)) {
    const timeoutMs = random.between(2_000, 10_000);
    const op = `${context.name}:${context.next()}`;
    const calledAt = context.journal.write({
      kind: 'call',
      op,
      action: 'acquire',
      name: `${primitive}/${name}`,
      limitMs: timeoutMs,
    });
    try {
      const grant = await line.acquire({ timeoutMs, signal: context.settle });
      context.journal.write({ kind: 'return', op, outcome: 'ok' });
      const endsAt = nowMs() + random.between(50, 600);
      // Whoever is cut off holds on, until he is told that he does not: what he believes meanwhile is what matters.
      const isOver = (): boolean => nowMs() >= endsAt && (context.isConnected() || isSettled(context));
      await useGrant(context, grant, { primitive, name, permits, calledAt }, isOver);
      await writeDown(context, 'release', `${primitive}/${name}`, () => grant.release());
    } catch (error) {
      const code = CoordinationError.is(error) ? error.code : isSettled(context) ? 'CLOSED' : String(error);
      context.journal.write({ kind: 'return', op, outcome: outcomeOf(code), code });
    }
    await delay(random.between(0, 150));
  }
}
