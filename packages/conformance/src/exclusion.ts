import type { Grant } from '@concordat/core';

/**
 * Judges a history of grants on one name: never two believed in at once, and tokens that rise.
 *
 * A grant counts as held from when it was handed over until it says itself that it is over.
 */
export class Exclusion {
  readonly #held = new Set<Grant>();
  readonly tokens: bigint[] = [];
  readonly violations: string[] = [];

  /** To be called at once with every grant. */
  granted(grant: Grant): void {
    for (const other of this.#held) {
      if (isHeld(other)) this.violations.push(`${String(grant.token)} was granted beside ${String(other.token)}`);
      else this.#held.delete(other);
    }
    const last = this.tokens.at(-1);
    if (last !== undefined && grant.token <= last)
      this.violations.push(`token ${String(grant.token)} follows ${String(last)}`);
    this.tokens.push(grant.token);
    this.#held.add(grant);
  }

  async release(grant: Grant): Promise<void> {
    const released = grant.release();
    this.#held.delete(grant);
    await released;
  }
}

/** Whether the grant itself says that it is held, in all of its ways alike. */
export function isHeld(grant: Grant): boolean {
  const answers = [!grant.signal.aborted, grant.safeUntil > 0, !throws(() => grant.assertHeld())];
  if (new Set(answers).size !== 1) throw new Error(`a grant says both: ${answers.join()}`);
  return answers[0] === true;
}

function throws(work: () => void): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}
