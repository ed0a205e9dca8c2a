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

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const lineFeed = 0x0a;
const longestHeader = 1_000;

/** Bytes of a record: one line of JSON, and behind it the result as its codec wrote it. */
export function writeRecord(record: OnceRecord): Uint8Array {
  const { state, token } = record;
  const expiry = 'expiresAt' in record ? { expiresAt: record.expiresAt } : {};
  const header = encoder.encode(`${JSON.stringify({ state, token: String(token), at: Date.now(), ...expiry })}\n`);
  const value = 'value' in record ? record.value : null;
  if (value === null) return header;
  const whole = new Uint8Array(header.length + value.length);
  whole.set(header);
  whole.set(value, header.length);
  return whole;
}

/** The record that a register holds; `null` for an absent one, and for one that nobody of us wrote. */
export function recordOf(register: Register | null): OnceRecord | null {
  if (register === null) return null;
  const { value } = register;
  const end = value.subarray(0, longestHeader).indexOf(lineFeed);
  const header = end < 0 ? null : parse(value.subarray(0, end));
  if (header === null) return null;
  const { state, token: digits, expiresAt } = header;
  if (typeof digits !== 'string' || !/^\d{1,39}$/.test(digits)) return null;
  const token = BigInt(digits);
  if (state === 'intent') return { state, token };
  if (typeof expiresAt !== 'number') return null;
  if (state === 'withdrawn') return { state, token, expiresAt };
  if (state === 'nothing') return { state, token, expiresAt, value: null };
  if (state === 'result') return { state, token, expiresAt, value: value.subarray(end + 1) };
  return null;
}

/** Whether the work of this key has ended well. */
export function isRecorded(record: OnceRecord | null): record is Recorded {
  return record?.state === 'result' || record?.state === 'nothing';
}

function parse(header: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(decoder.decode(header));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
