import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { Backend } from '../spi/backend.js';
import type { Call } from '../spi/call.js';

/**
 * Resolves in a namespace whose layout this version knows: values of a newer one may mean something else.
 *
 * @throws {CoordinationError} `UNSUPPORTED`, `BACKEND`; `UNAVAILABLE` when the session ended meanwhile, to be asked again in the next one.
 */
export async function requireKnownLayout({ layout, session }: Context): Promise<void> {
  try {
    await layout.tokenBase(session.state.epoch);
  } catch (reason) {
    throw outlived(reason);
  }
}

/** A request for a namespace whose layout this version knows: nothing is asked of another one. */
export function inKnownLayout<T>(
  context: Context,
  run: (backend: Backend, call: Call) => Promise<T>,
): (backend: Backend, call: Call) => Promise<T> {
  return async (backend, call) => {
    await requireKnownLayout(context);
    return run(backend, call);
  };
}

/** A request that was refused with its session wrote nothing; what depends on no session is asked for again in the next one. */
export function outlived(reason: unknown): unknown {
  if (!CoordinationError.is(reason, 'SESSION_LOST')) return reason;
  return new CoordinationError('UNAVAILABLE', 'the session ended, and nothing was written', { cause: reason });
}
