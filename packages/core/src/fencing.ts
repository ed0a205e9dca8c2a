import { CoordinationError } from './errors.js';

const fenceDigits = 39;
const largestToken = 10n ** BigInt(fenceDigits) - 1n;

/**
 * A token as 39 zero-padded digits: sorts as text as it does as a number, for JSON and text columns.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` for a negative token or one of more than 39 digits.
 */
export function formatFence(token: bigint): string {
  if (typeof token !== 'bigint' || token < 0n || token > largestToken)
    throw new CoordinationError('INVALID_ARGUMENT', 'a token must be a bigint from 0 to 39 digits');
  return token.toString().padStart(fenceDigits, '0');
}

/**
 * The check that makes a lock safe, made where the work is done: a resource remembers the highest token it has seen and
 * refuses everything lower.
 *
 * Keyed by resource; equal tokens are accepted, so that one holder may write many times. In memory it guards one process: for a
 * resource that several processes write, keep the highest token with the resource and compare in the same statement.
 *
 * @example
 * ```ts
 * import { fencing } from '@concordat/core';
 *
 * const gate = new fencing.TokenGate();
 * gate.accept('ledger', 7n); // true
 * gate.accept('ledger', 9n); // true: a newer holder
 * gate.accept('ledger', 7n); // false: the paused one came back
 * ```
 */
export class TokenGate {
  readonly #highest = new Map<string, bigint>();

  /** True, and remembered, unless a higher token was accepted for this resource before. */
  accept(resource: string, token: bigint): boolean {
    if (typeof token !== 'bigint') throw new CoordinationError('INVALID_ARGUMENT', 'a token must be a bigint');
    const highest = this.#highest.get(resource);
    if (highest !== undefined && token < highest) return false;
    this.#highest.set(resource, token);
    return true;
  }

  /** The highest token accepted for this resource so far. */
  highest(resource: string): bigint | undefined {
    return this.#highest.get(resource);
  }
}
