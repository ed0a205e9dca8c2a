import { CoordinationError } from './errors.js';

/** Refuses, before anything is waited for, work that is none. */
export function checkWork(work: unknown): void {
  if (typeof work !== 'function') throw new CoordinationError('INVALID_ARGUMENT', 'the work must be a function');
}

/** Runs what a caller gave, so that what it throws at once is a rejection as well. */
export async function run<Given, T>(work: (given: Given) => T | PromiseLike<T>, given: Given): Promise<T> {
  return await work(given);
}
