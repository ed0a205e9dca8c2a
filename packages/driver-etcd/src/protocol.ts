/** The numeric codes of gRPC. */
export const status = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** What a call or a stream ended with, as gRPC says it. */
export class StatusError extends Error {
  override readonly name = 'StatusError';

  /** @param details the server's own text, or the client's when no server answered. */
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(`${String(code)}: ${details}`);
  }
}
