import { setTimeout as delay } from 'node:timers/promises';
import { CoordinationError, type Grant } from 'concordat';
import { nowMs } from '../clock.js';
import type { Primitive } from '../records.js';
import type { Context } from './context.js';

const everyMs = 50;

/** What was granted, for the journal. */
export interface Held {
  readonly primitive: Primitive;
  readonly name: string;
  readonly permits: number;
  readonly calledAt: number;
}

/**
 * Uses a grant until `isOver` or its loss: asks again and again whether it is held, and writes to the resource that it guards.
 *
 * Resolves to its name in the journal, and whether it is still held.
 */
export async function useGrant(
  context: Context,
  grant: Grant,
  held: Held,
  isOver: () => boolean,
): Promise<{ readonly id: string; readonly isHeld: boolean }> {
  const { journal, resource } = context;
  const id = `${context.name}:${context.next()}`;
  journal.write({ kind: 'granted', grant: id, token: String(grant.token), ...held });
  grant.signal.addEventListener('abort', () => {
    const code = CoordinationError.is(grant.signal.reason) ? grant.signal.reason.code : undefined;
    const why = code === 'NOT_HELD' ? 'released' : code === 'CLOSED' ? 'closed' : 'lost';
    journal.write({ kind: 'over', grant: id, why });
  });
  // Asked first, also after a pause: that is when a holder is wrong about it.
  for (;;) {
    const askedAt = nowMs();
    try {
      grant.assertHeld();
    } catch {
      return { id, isHeld: false };
    }
    journal.write({ kind: 'asserted', grant: id }, context.name, askedAt);
    if (isOver()) return { id, isHeld: true };
    // A semaphore's holders work side by side, so that a greater token does not end the lower ones.
    if (held.primitive !== 'semaphore') await resource.write(`${held.primitive}/${held.name}`, id, grant.token);
    await delay(everyMs);
  }
}
