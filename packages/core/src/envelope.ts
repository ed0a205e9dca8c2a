import { fieldsOf } from './json-fields.js';

/** A header of JSON, and bytes that it says nothing of: readable in any language. */
export interface Envelope {
  readonly header: Readonly<Record<string, unknown>>;
  readonly content: Uint8Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const lineFeed = 0x0a;
const longestHeader = 1_000;

/** One line of JSON, and the content behind it. */
export function seal(header: object, content: Uint8Array = new Uint8Array(0)): Uint8Array {
  const line = encoder.encode(`${JSON.stringify(header)}\n`);
  const whole = new Uint8Array(line.length + content.length);
  whole.set(line);
  whole.set(content, line.length);
  return whole;
}

/** What was sealed; `null` for what nobody of us wrote. */
export function unseal(whole: Uint8Array): Envelope | null {
  const end = whole.subarray(0, longestHeader).indexOf(lineFeed);
  if (end < 0) return null;
  try {
    return { header: fieldsOf(JSON.parse(decoder.decode(whole.subarray(0, end)))), content: whole.subarray(end + 1) };
  } catch {
    return null;
  }
}
