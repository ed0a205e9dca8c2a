import type { Kind } from '@concordat/core/spi';

const pattern = /^[0-9a-f]{16}-\d+-(lock|latch|read|write|lease:\d+|member:[^:]+)$/;

/** `<session>-<n>-<kind>`; see {@link EntryNumbers} for `n`. */
export function entryName(session: string, n: number, kind: Kind): string {
  return `${session}-${n}${endingOf(kind)}`;
}

/** How the names of a kind end. */
export function endingOf(kind: Kind): string {
  return `-${kind}`;
}

/** What kind of entry a name stands for; `null` for a register or a foreign name. */
export function kindOf(name: string): Kind | null {
  return (pattern.exec(name)?.[1] as Kind | undefined) ?? null;
}
