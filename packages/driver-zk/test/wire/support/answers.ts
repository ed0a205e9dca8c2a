import type { Answer, FailureCode } from '../../../src/connection.js';

/** What was answered; a failure fails the test. */
export async function good<Value>(asked: Promise<Answer<Value>>): Promise<Value> {
  const answer = await asked;
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.value;
}

/** Why it failed; `null` where it did not. */
export async function codeOf(asked: Promise<Answer<unknown>>): Promise<FailureCode | null> {
  const answer = await asked;
  return answer.ok ? null : answer.code;
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export const none = new Uint8Array(0);

export const open = [{ scheme: 'world', id: 'anyone', allowed: 31 }] as const;
