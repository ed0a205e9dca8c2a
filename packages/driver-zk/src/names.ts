import type { Kind } from '@concordat/core/spi';

// Apache Curator's names: it orders all children of a path by what follows the last occurrence of them.
const markers: Readonly<Record<string, string>> = {
  lock: 'lock-',
  latch: 'latch-',
  read: '__READ__',
  write: '__WRIT__',
};
const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries(markers).map(([kind, marker]) => [marker, kind as Kind]),
);
// Curator's protection (`_c_<uuid>-`), the marker, and the server's signed 32-bit counter in at least ten characters.
const entryName = /^_c_.{36}-(lock-|latch-|__READ__|__WRIT__|(lease:\d+|member:[^:]+):)(-?\d{9,10})$/;
const foreignSequence = /\d{10}$/;

/** An entry's name without the sequence that the server appends: unique by `id`, so that it can be found again. */
export function entryPrefix(id: string, kind: Kind): string {
  return `_c_${id}-${markers[kind] ?? `${kind}:`}`;
}

/** A child of a queue directory that has a place in the line. */
export interface Placed {
  readonly name: string;
  /** `null` for a foreign name. */
  readonly kind: Kind | null;
  readonly sequence: number;
}

/** Which kind of entry a name says it is; `null` for a register or a foreign name. */
export function kindOf(name: string): Kind | null {
  return kindIn(entryName.exec(name));
}

/** Its place, or `null` where no sequence tells it. Names of other clients (kazoo, Go) end with one as well. */
export function placed(name: string): Placed | null {
  const parsed = entryName.exec(name);
  const sequence = parsed === null ? foreignSequence.exec(name)?.[0] : parsed[3];
  if (sequence === undefined) return null;
  return { name, kind: kindIn(parsed), sequence: Number(sequence) };
}

function kindIn(parsed: RegExpExecArray | null): Kind | null {
  if (parsed === null) return null;
  return (parsed[2] as Kind | undefined) ?? kinds.get(parsed[1] ?? '') ?? null;
}

/** Order of two sequences, as a signed 32-bit difference: right over the counter's overflow. */
export function sequenceOrder(one: Placed, other: Placed): number {
  return (one.sequence - other.sequence) | 0;
}

/** The line: every child that has a place, whoever made it, oldest first. */
export function lineOf(names: readonly string[]): readonly Placed[] {
  return names
    .map(placed)
    .filter((child) => child !== null)
    .sort(sequenceOrder);
}
