import { seal, unseal } from '../../envelope.js';
import type { Register } from '../../spi/backend.js';

/** A work that has ended, and what it answered; `value` is `null` when it answered nothing (`undefined`). */
export interface Recorded {
  readonly state: 'result' | 'nothing';
  readonly token: bigint;
  /** Wall-clock time, in milliseconds since 1970; for sweepers only. */
  readonly expiresAt: number;
  readonly value: Uint8Array | null;
}

/** What the gate knows of one key. */
export type OnceRecord =
  | Recorded
  /** Its work was about to run, or ran. */
  | { readonly state: 'intent'; readonly token: bigint }
  /** Its work failed, or never began: it may run again. */
  | { readonly state: 'withdrawn'; readonly token: bigint; readonly expiresAt: number };

/** Bytes of a record: a header, and behind it the result as its codec wrote it. */
export function writeRecord(record: OnceRecord): Uint8Array {
  const { state, token } = record;
  const expiry = 'expiresAt' in record ? { expiresAt: record.expiresAt } : {};
  const value = 'value' in record ? record.value : null;
  return seal({ state, token: String(token), at: Date.now(), ...expiry }, value ?? undefined);
}

/** The record that a register holds; `null` for an absent one, and for one that nobody of us wrote. */
export function recordOf(register: Register | null): OnceRecord | null {
  const sealed = register === null ? null : unseal(register.value);
  if (sealed === null) return null;
  const { state, token: digits, expiresAt } = sealed.header;
  if (typeof digits !== 'string' || !/^\d{1,39}$/.test(digits)) return null;
  const token = BigInt(digits);
  if (state === 'intent') return { state, token };
  if (typeof expiresAt !== 'number') return null;
  if (state === 'withdrawn') return { state, token, expiresAt };
  if (state === 'nothing') return { state, token, expiresAt, value: null };
  if (state === 'result') return { state, token, expiresAt, value: sealed.content };
  return null;
}

/** Whether the work of this key has ended well. */
export function isRecorded(record: OnceRecord | null): record is Recorded {
  return record?.state === 'result' || record?.state === 'nothing';
}
