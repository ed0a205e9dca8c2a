import { CoordinationError } from '@concordat/core';

const pollMs = 10;
let patienceMs = 15_000;

/** For runs in which most waits are in vain, such as those on broken drivers. */
export function setPatience(ms: number): void {
  patienceMs = ms;
}

/** Waits until `check` passes, and returns what it answered; past the limit its last failure is thrown. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = patienceMs): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (performance.now() >= deadline) throw failure;
      await tick(pollMs);
    }
  }
}

/** Checks again and again that something stays true for `ms`. */
export async function throughout(ms: number, check: () => void | Promise<void>): Promise<void> {
  const end = performance.now() + ms;
  do {
    await check();
    await tick(pollMs);
  } while (performance.now() < end);
  await check();
}

/** The promise, or a failure that says what did not happen within the limit. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const giveUp = new AbortController();
  const limit = tick(ms, giveUp.signal).then(() => {
    throw new Error(`${what} did not happen within ${String(Math.round(ms))} ms`);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    giveUp.abort();
    limit.catch(() => undefined);
  }
}

/** The same within the usual patience. */
export function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  return within(patienceMs, what, promise);
}

/** How a promise ended, and when, on `performance.now()`; never rejects. */
export interface Outcome<T> {
  readonly value: T | undefined;
  readonly reason: unknown;
  readonly rejected: boolean;
  readonly at: number;
}

/** Follows a promise that may reject while nobody waits for it. */
export function outcome<T>(promise: Promise<T>): Promise<Outcome<T>> {
  return promise.then(
    (value) => ({ value, reason: undefined, rejected: false, at: performance.now() }),
    (reason: unknown) => ({ value: undefined, reason, rejected: true, at: performance.now() }),
  );
}

/** The code of an error of ours, or `undefined`. */
export function codeOf(reason: unknown): string | undefined {
  return CoordinationError.is(reason) ? reason.code : undefined;
}

/** Lets the event loop go round once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function tick(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('not needed any more'));
    });
  });
}
