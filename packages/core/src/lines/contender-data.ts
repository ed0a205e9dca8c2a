import { hostname } from 'node:os';
import { checkSize, text } from '../codecs.js';

let ownData: Uint8Array | null = null;

/** What a contender says of itself: the given data, or host name and process id. */
export function contenderData(data: string | Uint8Array | undefined): Uint8Array {
  if (data === undefined) {
    ownData ??= text.encode(`${hostname()}:${String(process.pid)}`);
    return ownData;
  }
  return checkSize(typeof data === 'string' ? text.encode(data) : data);
}
