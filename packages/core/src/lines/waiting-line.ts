import { combineLatest, map, type Observable } from 'rxjs';
import type { Context } from '../context.js';
import { tokenBases } from '../layout-states.js';
import { seen } from '../seen.js';
import type { Child, Key } from '../spi/backend.js';

/** One contender in a line, as others see it. */
export interface Contender {
  /** Name of its entry in the store; with `token`, never used twice. */
  readonly entry: string;
  /** What it stands there as, such as `lock`, `read` or `lease:3`; `null` for an entry of another client that does not say. */
  readonly kind: string | null;
  /** What it said of itself. */
  readonly data: Uint8Array;
  /** Token it is granted with, or will be. */
  readonly token: bigint;
  /** Session that it lives with. */
  readonly session: string;
  /** True for an entry of this coordinator. */
  readonly own: boolean;
}

/** A line as last seen: who holds is in front. */
export interface WaitingLine {
  /** Oldest first. */
  readonly contenders: readonly Contender[];
  /** True while the session is not connected: the line may have moved on. */
  readonly stale: boolean;
}

/** The live line of a directory; see `Lock.contenders$`. */
export function waitingLine(context: Context, dir: Key): Observable<WaitingLine> {
  const { watches, session } = context;
  // Of one snapshot and one base there is one line, so that only its mark may differ afterwards.
  const line = combineLatest([watches.children(dir, { data: true }), tokenBases(context)]).pipe(
    map(([children, tokenBase]) => contendersOf(children, tokenBase, session.state.id)),
  );
  return seen(context, line).pipe(map(({ value: contenders, stale }) => ({ contenders, stale })));
}

function contendersOf(children: readonly Child[], tokenBase: bigint, own: string | null): readonly Contender[] {
  return children.flatMap(({ name, kind, register }) => {
    if (register?.owner == null) return [];
    const { value: data, created, owner: session } = register;
    return [{ entry: name, kind, data, token: tokenBase + created, session, own: session === own }];
  });
}
