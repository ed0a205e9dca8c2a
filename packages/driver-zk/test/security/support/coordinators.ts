import { randomUUID } from 'node:crypto';
import { CoordinationError, type Coordinator, type CoordinatorOptions, createCoordinator } from '@concordat/core';
import { expect, onTestFinished } from 'vitest';
import { zookeeper } from '../../../src/index.js';

const sessionTimeoutMs = 6_000;

/** A coordinator with a short session in a namespace of its own, unless the options say otherwise; closed with the test. */
export function opened(options: CoordinatorOptions): Coordinator {
  const common = { namespace: randomUUID(), sessionTimeoutMs, allowShortSession: true };
  const coordinator = createCoordinator(zookeeper, { ...common, ...options });
  onTestFinished(() => coordinator.close());
  return coordinator;
}

export async function ready(options: CoordinatorOptions): Promise<Coordinator> {
  const coordinator = opened(options);
  await coordinator.ready();
  return coordinator;
}

/** Why a coordinator does not become ready, which it says before a session would be over. */
export async function refusalOf(options: CoordinatorOptions): Promise<unknown> {
  const start = performance.now();
  const refusal = await reasonOf(opened(options).ready());
  expect(performance.now() - start).toBeLessThan(sessionTimeoutMs);
  return refusal;
}

/** What a promise rejects with; `null` when it does not. */
export function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (reason: unknown) => reason,
  );
}

/** The code of what a promise rejects with; `null` when it does not. */
export async function codeOf(promise: Promise<unknown>): Promise<string | null> {
  const reason = await reasonOf(promise);
  if (reason === null) return null;
  return CoordinationError.is(reason) ? reason.code : 'another error';
}

/** What a function throws; `null` when it does not. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}
