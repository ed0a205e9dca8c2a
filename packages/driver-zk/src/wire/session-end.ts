import type { Standing } from '../connection.js';
import type { Security } from '../security.js';
import { authenticate } from './authenticate.js';
import { dial, type Route } from './dial.js';
import { bare } from './operations.js';
import { operation } from './protocol.js';

/**
 * Ends a session on the server, over a connection of its own. Resolves true when the session is over, whoever ended it, and false when this
 * server could not be asked, or is behind what the session saw. Never rejects.
 */
export async function endSession(
  route: Route,
  { identity, seen }: Standing,
  security: Security,
  signal: AbortSignal,
): Promise<boolean> {
  // The shortest timeout there is, should this process end in the middle.
  const dialled = await dial(route, { identity, seen, timeoutMs: 0 }, signal);
  if (!dialled.ok) return dialled.failure === 'expired';
  const { channel } = dialled;
  const abort = (): void => channel.destroy();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  // Where a server insists on knowing everybody it would not even end a session without.
  const isProven = (await authenticate(channel, security)) === 'accepted';
  const answer = isProven ? await channel.ask(bare(operation.closeSession)) : null;
  signal.removeEventListener('abort', abort);
  channel.destroy();
  return answer?.ok === true;
}
