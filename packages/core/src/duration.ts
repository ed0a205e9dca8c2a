import { CoordinationError } from './errors.js';

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds of a duration such as `500ms`, `12s`, `1.5m` or `2h`.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` for anything else, a number without a unit included.
 */
export function parseDuration(text: string, what: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const unit = unitsMs[match?.[2] ?? ''];
  if (match?.[1] === undefined || unit === undefined)
    throw new CoordinationError('INVALID_ARGUMENT', `${what} must be a duration such as 500ms, 12s or 2m`);
  return Math.round(Number(match[1]) * unit);
}
