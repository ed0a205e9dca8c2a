import type { Coordinator } from 'concordat';
import type { Journal } from '../journal.js';
import type { Random } from '../random.js';
import type { CallLine, ReturnLine } from '../records.js';
import type { Resource } from './resource.js';

/** What every kind of work in a client's process stands on. */
export interface Context {
  readonly name: string;
  readonly coordinator: Coordinator;
  readonly journal: Journal;
  readonly resource: Resource;
  readonly sessionTimeoutMs: number;
  readonly random: (stream: string) => Random;
  /** Aborts when nothing is to be changed any more. */
  readonly settle: AbortSignal;
  /** Whether the store answers, as far as is known. */
  readonly isConnected: () => boolean;
  /** A number that nothing else in this process has. */
  next(): string;
}

/** How an operation ended, for the journal. */
export function outcomeOf(code: string | undefined): ReturnLine['outcome'] {
  // What was never sent, or refused by the store's own word, changed nothing.
  const harmless = ['CONFLICT', 'UNAVAILABLE', 'CLOSED', 'NOT_FOUND', 'ALREADY_EXISTS'];
  return code !== undefined && harmless.includes(code) ? 'refused' : 'unknown';
}

/** Whether nothing is to be changed any more. A call, since it may become so while something is awaited. */
export function isSettled({ settle }: Context): boolean {
  return settle.aborted;
}

/** Waits for what ends with its entry or its session at the latest, and never fails; the journal has when it began and ended. */
export async function writeDown(
  context: Context,
  action: CallLine['action'],
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const { journal, sessionTimeoutMs: limitMs } = context;
  const op = `${context.name}:${context.next()}`;
  journal.write({ kind: 'call', op, action, name, limitMs });
  await work();
  journal.write({ kind: 'return', op, outcome: 'ok' });
}
