import type { AcquireOptions, Grant, Lock } from '@concordat/core';
import { CoordinationError } from '@concordat/core';
import { catchError, EMPTY, map } from 'rxjs';
import { brokenCoordinator, type Mutant, replaced } from './mutant.js';

/** Coordinators whose lock is wrong. */
export const recipeMutants: readonly Mutant[] = [
  brokenLock('a lock that its coordinator may take twice', ['LOCK-02', 'LOCK-03'], (lock) => {
    let held: Promise<Grant> | null = null;
    return { acquire: (options) => (held ??= lock.acquire(options)) };
  }),
  brokenLock('an acquire without a limit', ['CANCEL-03', 'CANCEL-04', 'CANCEL-06'], (lock) => ({
    acquire: ({ timeoutMs: _, ...options } = {}) => lock.acquire(options),
  })),
  brokenLock('an acquire that does not listen', ['CANCEL-01', 'CANCEL-02'], (lock) => ({
    acquire: ({ signal: _, ...options } = {}) => lock.acquire(options),
  })),
  brokenLock('an abort with a reason of its own', ['CANCEL-01', 'CANCEL-02', 'CANCEL-05'], (lock) => ({
    acquire: (options) =>
      lock.acquire(options).catch((reason: unknown) => {
        throw options?.signal?.aborted === true ? new Error('aborted') : reason;
      }),
  })),
  brokenLock('a timeout that says nothing', ['CANCEL-03'], (lock) => ({
    acquire: (options) =>
      lock.acquire(options).catch((reason: unknown) => {
        throw CoordinationError.is(reason, 'TIMEOUT') ? new CoordinationError('TIMEOUT', 'too late') : reason;
      }),
  })),
  brokenLock('a close that is told as a loss', ['CLOSE-02', 'CLOSE-04'], (lock) => ({
    acquire: (options) =>
      lock.acquire(options).catch((reason: unknown) => {
        throw CoordinationError.is(reason, 'CLOSED') ? new CoordinationError('SESSION_LOST', 'lost') : reason;
      }),
  })),
  brokenLock('a try that takes silence for a no', ['LOCK-08'], (lock) => ({
    tryAcquire: (options) => lock.tryAcquire(options).catch(() => undefined),
  })),
  brokenLock('a try that waits', ['LOCK-06'], (lock) => ({
    tryAcquire: (options) => lock.acquire(options),
  })),
  brokenLock('work that is not waited for when the lock is lost', ['LOSS-05'], (lock) => ({
    with: (work, options) => lossOf(lock, work, options),
  })),
  brokenLock('work whose answer hides the loss', ['LOSS-05'], (lock) => ({
    with: async (work, options) => {
      const grant = await lock.acquire(options);
      try {
        return await work(grant);
      } finally {
        await grant.release();
      }
    },
  })),
  brokenLock('a hold that completes when it is lost', ['LOSS-06', 'LOCK-22'], (lock) => ({
    hold: (options) => lock.hold(options).pipe(catchError(() => EMPTY)),
  })),
  brokenLock('a line without the one who holds', ['LOCK-24'], (lock) => ({
    contenders$: lock.contenders$.pipe(map((line) => ({ ...line, contenders: line.contenders.slice(1) }))),
  })),
  brokenGrant('a grant that is never over', ['LOCK-11', 'LOSS-01', 'LOSS-04', 'CLOSE-01'], () => ({
    signal: new AbortController().signal,
    safeUntil: Number.POSITIVE_INFINITY,
    assertHeld: () => undefined,
  })),
  brokenGrant('a grant that is over when suspended', ['LOSS-03'], (grant) => ({
    get safeUntil() {
      return Math.min(grant.safeUntil, performance.now() + 1);
    },
  })),
  brokenGrant('a fence that is not padded', ['LOCK-01'], (grant) => ({
    fence: String(grant.token),
  })),
  brokenGrant('a release that may be refused', ['LOCK-12'], (grant) => {
    let released = false;
    return {
      release: () => {
        if (released) return Promise.reject(new CoordinationError('NOT_HELD', 'released before'));
        released = true;
        return grant.release();
      },
    };
  }),
  brokenGrant('a release that only says so', ['LOCK-02', 'LOCK-11'], () => ({
    release: () => Promise.resolve(),
  })),
  brokenCoordinator('names that are cut at a slash', ['LOCK-04'], (coordinator) => ({
    lock: (name) => coordinator.lock(name.split('/')[0] ?? name),
  })),
  brokenCoordinator('names that are made to fit', ['ERR-01'], (coordinator) => ({
    lock: (name) => coordinator.lock(`_${name}`.slice(0, 128)),
  })),
  brokenCoordinator('events that are not told', ['SESS-09', 'LOCK-26', 'LOSS-07'], () => ({
    events$: EMPTY,
  })),
  brokenCoordinator('a close without a limit', ['CLOSE-06'], () => ({
    close: () => new Promise(() => undefined),
  })),
  brokenCoordinator('a readiness that is only hoped for', ['SESS-07', 'ERR-05'], () => ({
    ready: () => Promise.resolve(),
  })),
];

function brokenLock(name: string, fails: readonly string[], change: (lock: Lock) => Partial<Lock>): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    const locks = new Map<string, Lock>();
    return {
      lock: (of) => {
        const known = locks.get(of);
        if (known !== undefined) return known;
        const lock = coordinator.lock(of);
        const broken = replaced(lock, change(lock));
        locks.set(of, broken);
        return broken;
      },
    };
  });
}

function brokenGrant(name: string, fails: readonly string[], change: (grant: Grant) => Partial<Grant>): Mutant {
  return brokenLock(name, fails, (lock) => ({
    acquire: async (options) => {
      const grant = await lock.acquire(options);
      return replaced(grant, change(grant));
    },
  }));
}

function lossOf<T>(lock: Lock, work: (grant: Grant) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    lock
      .with((grant) => {
        grant.signal.addEventListener('abort', () => {
          if (CoordinationError.is(grant.signal.reason, 'GRANT_LOST')) reject(grant.signal.reason);
        });
        return work(grant);
      }, options)
      .then(resolve, reject);
  });
}
