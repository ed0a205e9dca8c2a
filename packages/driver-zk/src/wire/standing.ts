import type { Standing } from '../connection.js';
import { type DialFailure, dial, type Route } from './dial.js';

/**
 * Asks a server, by attaching to a session for a moment, whether it takes it up: `null` when it does. `expired` when the session is over,
 * `behind` when the server knows it and not all that it saw. Never rejects.
 *
 * @param timeoutMs the session's own: a server changes it to what the last connection asked for.
 */
export async function refusalOf(
  route: Route,
  { identity, seen }: Standing,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DialFailure | null> {
  const dialled = await dial(route, { identity, seen, timeoutMs }, signal);
  if (!dialled.ok) return whyRefused(dialled, route, { identity, seen }, timeoutMs, signal);
  dialled.channel.destroy();
  return null;
}

/**
 * Why a server did not take up a session. One that is behind what the session saw closes the connection without a word, and so does one that
 * is not ready: what it says to a client that saw nothing tells them apart.
 */
export async function whyRefused(
  refused: DialFailure,
  route: Route,
  { identity, seen }: Standing,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DialFailure> {
  if (refused.failure !== 'unreachable' || refused.detail !== undefined || seen === 0n) return refused;
  const unseeing = await refusalOf(route, { identity, seen: 0n }, timeoutMs, signal);
  if (unseeing === null) return { ok: false, failure: 'behind' };
  if (unseeing.failure !== 'expired') return refused;
  const detail = 'it lags behind what the session saw, or the store was restored or wiped';
  return { ok: false, failure: 'expired', detail };
}
