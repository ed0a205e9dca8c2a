/** How long a wait may take, and who may end it early. Always the last argument. */
export interface WaitOptions {
  /** Ends the wait; it rejects with `signal.reason` unchanged. */
  readonly signal?: AbortSignal;
  /** Limit of the wait in milliseconds, from 0 to 2,147,483,647; without it the wait has no limit. It ends with `TIMEOUT`. */
  readonly timeoutMs?: number;
}

/** Values of registers and data of entries, in bytes. */
export const maxValueBytes = 1_000_000;
