import { setTimeout as delay } from 'node:timers/promises';
import type { Config, Election, Group, Lock, Members } from 'concordat';
import { filter, firstValueFrom, map, timeout } from 'rxjs';
import type { FinalLine } from '../records.js';
import type { Context } from './context.js';
import type { Contended } from './lines.js';

const agreeWithinMs = 10_000;
const lookEveryMs = 100;

/** Follows a value; answers what was shown last. */
export function followConfig({ journal }: Context, name: string, config: Config<string>): () => string | null {
  let shown: string | null = null;
  config.value$.subscribe(({ value, version, stale }) => {
    if (stale) return;
    shown = version === undefined ? null : String(version);
    journal.write({ kind: 'seen', what: 'config', name, version: shown, value: value ?? null });
  });
  return () => shown;
}

/** Follows a line, and writes down who stands in it while somebody has to wait; answers who stood there last. */
export function followLine({ journal }: Context, { primitive, name, permits, line }: Contended): () => string | null {
  let shown: string | null = null;
  line.contenders$.subscribe(({ contenders, stale }) => {
    if (stale) return;
    const tokens = contenders.map(({ token }) => String(token));
    shown = tokens.join(' ');
    if (contenders.length > permits) journal.write({ kind: 'queue', primitive, name, permits, tokens });
  });
  return () => shown;
}

/** Who stands in a line, as an observer that has just begun is shown it first. */
export function lineOf(line: Lock): Promise<string> {
  const current = line.contenders$.pipe(
    filter(({ stale }) => !stale),
    map(({ contenders }) => contenders.map(({ token }) => String(token)).join(' ')),
  );
  return firstValueFrom(current.pipe(timeout({ first: agreeWithinMs })));
}

/** Follows a leader; answers the token of the one shown last. */
export function followLeader({ journal }: Context, name: string, election: Election<string>): () => string | null {
  let shown: string | null = null;
  election.leader$.subscribe((leader) => {
    if (leader?.stale) return;
    shown = leader === undefined ? null : String(leader.token);
    journal.write({ kind: 'seen', what: 'leader', name, version: shown, value: leader?.value ?? null });
  });
  return () => shown;
}

/** Follows a group; answers who was in it last. */
export function followMembers(group: Group<unknown>): () => string | null {
  let shown: string | null = null;
  group.members$.subscribe((seen) => {
    if (!seen.stale) shown = idsOf(seen);
  });
  return () => shown;
}

/** Who is in a group, as an observer that has just begun is shown it first. */
export function membersOf(group: Group<unknown>): Promise<string> {
  const current = group.members$.pipe(
    filter(({ stale }) => !stale),
    map(idsOf),
  );
  return firstValueFrom(current.pipe(timeout({ first: agreeWithinMs })));
}

function idsOf({ members }: Members<unknown>): string {
  return members.map(({ id }) => id).join(' ');
}

/** Waits until an observer was shown what is stored, and writes down what it was shown last, whether or not that is so. */
export async function conclude(
  { journal }: Context,
  what: FinalLine['what'],
  name: string,
  shown: () => string | null,
  stored: () => Promise<string | null>,
): Promise<void> {
  const end = performance.now() + agreeWithinMs;
  let answer: string | null | undefined;
  do {
    answer = await stored().catch(() => undefined);
    if (answer !== undefined && answer === shown() && (what !== 'line' || answer === '')) break;
    await delay(lookEveryMs);
  } while (performance.now() < end);
  journal.write({ kind: 'final', what, name, shown: shown(), stored: answer === undefined ? 'no answer' : answer });
}
