import type { Operator } from '@concordat/conformance';

const patienceMs = 60_000;

/** What a store said of somebody's entry, on `performance.now()`. */
export interface Seen {
  /** When the last look began that still found it. */
  readonly lastAt: number;
  /** When a look ended that did not find it any more. */
  readonly goneAt: number;
}

/**
 * Looks at a namespace again and again, at members that know what a quorum knows, until every prefix given has no key any more.
 *
 * A look that is not answered says nothing: a cluster that elects does not answer.
 */
export async function watchUntilGone(
  operator: () => Promise<Operator>,
  namespace: string,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, Seen>> {
  const end = performance.now() + patienceMs;
  const lastAt = new Map(prefixes.map((prefix) => [prefix, performance.now()]));
  const gone = new Map<string, Seen>();
  while (gone.size < prefixes.length) {
    const began = performance.now();
    if (began > end) throw new Error('what was cut off does not end on the store');
    const keys = await operator()
      .then((each) => each.keys(namespace))
      .catch(() => null);
    if (keys === null) continue;
    for (const prefix of prefixes) {
      if (gone.has(prefix)) continue;
      if (keys.some((key) => key.startsWith(prefix))) lastAt.set(prefix, began);
      else gone.set(prefix, { lastAt: lastAt.get(prefix) ?? began, goneAt: performance.now() });
    }
  }
  return gone;
}
