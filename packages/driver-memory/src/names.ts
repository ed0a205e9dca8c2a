import type { Kind } from '@concordat/core/spi';

const kinds: readonly Kind[] = ['lock', 'latch', 'read', 'write', 'lease'];
const pattern = /^[0-9a-f]{16}-\d+-([a-z]+)$/;

/** `<session>-<n>-<kind>`; with an `n` never used twice in a session, a name is never used twice. */
export function entryName(session: string, n: number, kind: Kind): string {
  return `${session}-${n}${endingOf(kind)}`;
}

/** How the names of a kind end. */
export function endingOf(kind: Kind): string {
  return `-${kind}`;
}

/** What kind of entry a name stands for; `null` for a register or a foreign name. */
export function kindOf(name: string): Kind | null {
  const ending = pattern.exec(name)?.[1];
  return kinds.find((kind) => kind === ending) ?? null;
}
