import { filter, merge, type Observable } from 'rxjs';
import { Backoff } from '../backoff.js';
import type { Context } from '../context.js';
import { CoordinationError, type CoordinationErrorCode } from '../errors.js';
import { pause } from '../pause.js';
import type { Backend, Child, Entry, Kind, Place, Ref } from '../spi/backend.js';
import type { Wait } from '../wait.js';
import { askInLine } from './asking.js';
import type { Queue } from './queue.js';

/**
 * Whether nobody who matters is in the way. Where several may be in at once, whoever is ahead has to count as I do: who does not is
 * not counted, but waited for.
 */
export function isTurn({ kind, permits }: Queue, ahead: readonly Ref[]): boolean {
  if (permits === undefined) return ahead.length === 0;
  return ahead.length < permits && ahead.every((ref) => ref.kind === kind);
}

/**
 * Emits when it may have become my turn.
 *
 * Where one is in at a time, the nearest ahead is gone. Where several are: behind others who wait, the nearest ahead left, or got in, which he says by touching his entry;
 * first of those who wait, any ahead left. So a release tells one, and he tells the next.
 *
 * The first watches the directory: one watch, whatever the number of permits. With one on each holder, those that a store cannot take back would be
 * left by everybody who was ever first, and the release of a long-held permit would tell all of them.
 */
export function changeOf(backend: Backend, { dir, permits = 1 }: Queue, { entry, ahead }: Place): Observable<unknown> {
  if (permits > 1 && ahead.length <= permits) {
    const awaited = [entry, ...ahead];
    return backend.watchChildren(dir, { data: false }).pipe(filter((line) => isAnyGone(awaited, line)));
  }
  return merge(...ahead.slice(-1).map((ref) => backend.gone(ref, { touched: permits > 1 })));
}

/**
 * Refuses to stand behind a holder who counts differently. The first in line decides: somebody between us who disagrees with him, too, is
 * about to leave, and must not make others fail.
 *
 * @throws {CoordinationError} `CONFLICT`.
 */
export async function requireAgreement(
  context: Context,
  { dir, kind, name, permits }: Queue,
  wait: Wait,
  { entry, ahead }: Place,
): Promise<void> {
  if (permits === undefined || ahead.every((ref) => ref.kind === kind)) return;
  const first = await askInLine(context, wait, entry.epoch, (backend, call) => backend.first(dir, call));
  if (first === null || first.kind === kind) return;
  const asked = `semaphore "${name}" was asked for with permits: ${String(permits)}`;
  throw new CoordinationError('CONFLICT', `${asked}, while whoever holds it counts ${countOf(first.kind)}`);
}

/**
 * Tells whoever is behind that I am in, where he may have seen me wait. In the background: nobody waits for it but him, and he stands in
 * line meanwhile.
 */
export function tellNext(context: Context, queue: Queue, { entry, atCreation }: Place): void {
  const { permits = 1 } = queue;
  if (permits > 1 && atCreation !== true) void context.leaving.track(touch(context, queue, entry));
}

async function touch({ session, requests, clock }: Context, queue: Queue, entry: Entry): Promise<void> {
  const backoff = new Backoff();
  while (!session.closed && session.epoch === entry.epoch) {
    try {
      await requests.write((backend, call) => backend.update(entry, queue.data, call), entry.epoch);
      return;
    } catch (reason) {
      // Released or lost in the meantime: that tells the next one, too.
      if (CoordinationError.is(reason) && final.has(reason.code)) return;
      // A lost reply is no reason to stop: touching twice says no more than once. Nor is a refusal, which may pass.
      await pause(session, clock, backoff.nextMs);
    }
  }
}

const final: ReadonlySet<CoordinationErrorCode> = new Set(['GRANT_LOST', 'SESSION_LOST', 'CLOSED']);

// The same name may be another entry's by now, where the line says when each was made; where it does not, names are used once.
function isAnyGone(awaited: readonly Pick<Ref, 'name' | 'created'>[], line: readonly Child[]): boolean {
  const there = new Map(line.map(({ name, created }) => [name, created]));
  return awaited.some(({ name, created }) => {
    const found = there.get(name);
    return found === undefined || (found !== null && created !== null && found !== created);
  });
}

function countOf(kind: Kind | null): string {
  return kind?.startsWith('lease:') === true ? kind.slice('lease:'.length) : 'in some other way';
}
