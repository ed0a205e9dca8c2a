import { hostname } from 'node:os';
import { bytes, checkSize, text } from '../codecs.js';

let ownData: Uint8Array | null = null;

/**
 * What a contender says of itself: the given data, taken as it is at this moment, or host name and process id.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`, `TOO_LARGE`.
 */
export function contenderData(data: string | Uint8Array | undefined): Uint8Array {
  if (data === undefined) {
    ownData ??= text.encode(`${hostname()}:${String(process.pid)}`);
    return ownData;
  }
  return checkSize(typeof data === 'string' ? text.encode(data) : bytes.encode(data));
}
