import { CoordinationError, type Coordinator, type Grant } from '@concordat/core';
import { createCoordinator } from '../create-coordinator.js';
import type { LockRequest } from './arguments.js';
import { exitCodes } from './exit-codes.js';
import type { Notices } from './notices.js';
import { RunningCommand } from './running-command.js';
import type { SignalRouter } from './signal-router.js';
import { showWaiting } from './waiting-status.js';

const connectLimitMs = 12_000;

/** Waits for the lock, runs the command while holding it, and answers the exit code. */
export async function lockCommand(request: LockRequest, signals: SignalRouter, notices: Notices): Promise<number> {
  await using coordinator = createCoordinator(request.url);
  const deadline = performance.now() + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
  await reach(coordinator, Math.min(connectLimitMs, request.timeoutMs ?? connectLimitMs), signals.waiting);
  const grant = await granted(coordinator, request, deadline, signals.waiting, notices);
  if (grant === undefined) {
    notices.line(`lock "${request.name}" is taken`);
    return exitCodes.notGranted;
  }
  // Closing gives it back, too, within a limit: a release would go on through an outage for as long as the session may live.
  return await runHolding(grant, request, signals, notices);
}

// A line may be long, but a store that is not there at all is nothing to wait for.
async function reach(coordinator: Coordinator, timeoutMs: number, signal: AbortSignal): Promise<void> {
  try {
    await coordinator.ready({ timeoutMs, signal });
  } catch (error) {
    if (!CoordinationError.is(error, 'TIMEOUT')) throw error;
    const seen = CoordinationError.is(error.cause) ? error.cause.message : 'it did not answer';
    const limit = timeoutMs.toLocaleString('en-US');
    throw new CoordinationError('UNAVAILABLE', `the store could not be reached within ${limit} ms: ${seen}`);
  }
}

async function granted(
  coordinator: Coordinator,
  request: LockRequest,
  deadline: number,
  signal: AbortSignal,
  notices: Notices,
): Promise<Grant | undefined> {
  const lock = coordinator.lock(request.name);
  const options = {
    signal,
    ...(Number.isFinite(deadline) ? { timeoutMs: Math.max(0, deadline - performance.now()) } : {}),
    ...(request.data === undefined ? {} : { data: request.data }),
  };
  if (request.tryOnly) return await lock.tryAcquire(options);
  const stopShowing = request.quiet ? () => undefined : showWaiting(lock, request.name, notices);
  try {
    return await lock.acquire(options);
  } finally {
    stopShowing();
  }
}

async function runHolding(
  grant: Grant,
  request: LockRequest,
  signals: SignalRouter,
  notices: Notices,
): Promise<number> {
  const { name, killAfterMs } = request;
  const { signal } = grant;
  const environment = {
    CONCORDAT_LOCK_NAME: name,
    CONCORDAT_LOCK_TOKEN: String(grant.token),
    CONCORDAT_LOCK_FENCE: grant.fence,
  };
  const line = { file: request.command, args: request.commandArguments, environment };
  // Each of these looks at the clock, and may tell the loss: last of all, right before the command begins.
  signals.waiting.throwIfAborted();
  grant.assertHeld();
  const command = new RunningCommand(line, (message) => notices.line(message));
  signals.passTo((received) => command.send(received));
  const lost = (): void => {
    command.terminate(killAfterMs);
  };
  // Asking looks at the clock: what is told here was told before anybody listened.
  if (signal.aborted) lost();
  else signal.addEventListener('abort', lost, { once: true });
  const exitCode = await command.ended;
  signal.removeEventListener('abort', lost);
  // Nothing is left to pass them on to: another one ends this process at once.
  signals.stop();
  // Asked again at the end: whatever the command did last may have been too late.
  if (!signal.aborted) return exitCode;
  // Not before: where nobody reads what is said, saying it takes for ever, and the command would run on.
  notices.line(`the command was ended: ${reasonOf(signal.reason)}`);
  return exitCodes.lost;
}

function reasonOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
