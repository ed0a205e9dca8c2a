import type { WaitOptions } from '../limits.js';

/** How to stand in a line. */
export interface AcquireOptions extends WaitOptions {
  /** Shown to whoever looks at the line; at most 1,000,000 bytes, better under 100. Default: host name and process id. */
  readonly data?: string | Uint8Array;
}
