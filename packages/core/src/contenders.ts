import { Observable } from 'rxjs';
import type { Context } from './context.js';
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

/** The live line of a directory; see `Lock.contenders$`. */
export function waitingLine(context: Context, dir: Key): Observable<WaitingLine> {
  return new Observable((subscriber) => {
    const { session, layout } = context;
    let children: readonly Child[] | null = null;
    let tokenBase = 0n;
    let shown: WaitingLine | null = null;
    const show = (): void => {
      if (children === null) return;
      const { state, id } = session.state;
      const stale = state !== 'connected';
      if (shown?.stale === stale && shown.contenders === lineOf) return;
      lineOf = lineOf ?? contendersOf(children, tokenBase, id);
      shown = { contenders: lineOf, stale };
      subscriber.next(shown);
    };
    let lineOf: readonly Contender[] | null = null;
    const watch = context.watches.children(dir, { data: true }).subscribe({
      next: (snapshot) => {
        children = snapshot;
        lineOf = null;
        show();
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
    const states = session.state$.subscribe({
      next: ({ state, epoch }) => {
        if (state === 'connected')
          layout.tokenBase(epoch).then(
            (base) => {
              if (base === tokenBase) return;
              tokenBase = base;
              lineOf = null;
              show();
            },
            () => undefined,
          );
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
