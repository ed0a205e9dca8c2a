import { Observable } from 'rxjs';
import type { Context } from './context.js';
import { CoordinationError, type CoordinationErrorCode } from './errors.js';
import type { Child, Key } from './spi/backend.js';

/** One contender in a line, as others see it. */
export interface Contender {
  /** Name of its entry in the store. */
  readonly entry: string;
  /** What it said of itself. */
  readonly data: Uint8Array;
  /** Token it is granted with, or will be. */
  readonly token: bigint;
  /** Session that it lives with. */
  readonly session: string;
  /** True for an entry of this coordinator. */
  readonly own: boolean;
}

/** A line as last seen: the first one holds. */
export interface WaitingLine {
  readonly contenders: readonly Contender[];
  /** True while the session is not connected: the line may have moved on. */
  readonly stale: boolean;
}

const incurable: ReadonlySet<CoordinationErrorCode> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED']);

/** The live line of a directory; see `Lock.contenders$`. */
export function waitingLine(context: Context, dir: Key): Observable<WaitingLine> {
  return new Observable((subscriber) => {
    const { session, layout } = context;
    let children: readonly Child[] | null = null;
    let tokenBase: bigint | null = null;
    let line: readonly Contender[] | null = null;
    let shown: WaitingLine | null = null;
    const show = (): void => {
      if (children === null || tokenBase === null) return;
      const { state, id } = session.state;
      line ??= contendersOf(children, tokenBase, id);
      const stale = state !== 'connected';
      if (shown?.stale === stale && shown.contenders === line) return;
      shown = { contenders: line, stale };
      subscriber.next(shown);
    };
    const changed = (): void => {
      line = null;
      show();
    };
    const watch = context.watches.children(dir, { data: true }).subscribe({
      next: (snapshot) => {
        children = snapshot;
        changed();
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
    const readBase = async (epoch: number): Promise<void> => {
      const base = await layout.tokenBase(epoch);
      if (base === tokenBase) return;
      tokenBase = base;
      changed();
    };
    // Otherwise it is read in the next session; what was shown stays.
    const baseFailed = (reason: unknown): void => {
      if (CoordinationError.is(reason) && incurable.has(reason.code)) subscriber.error(reason);
    };
    const states = session.state$.subscribe({
      next: ({ state, epoch }) => {
        if (state === 'connected') readBase(epoch).catch(baseFailed);
        show();
      },
      complete: () => subscriber.complete(),
    });
    return () => {
      watch.unsubscribe();
      states.unsubscribe();
    };
  });
}

function contendersOf(children: readonly Child[], tokenBase: bigint, own: string | null): readonly Contender[] {
  return children.flatMap(({ name, register }) => {
    if (register?.owner == null) return [];
    const { value: data, created, owner: session } = register;
    return [{ entry: name, data, token: tokenBase + created, session, own: session === own }];
  });
}
