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
  override readonly name: string = 'StatusError';

  /**
   * @param details the server's own text, or the client's when no server answered.
   * @param unsent nothing of the request can have been applied, nor will be.
   */
  constructor(
    readonly code: number,
    readonly details: string,
    readonly unsent = false,
  ) {
    super(`${String(code)}: ${details}`);
  }
}

/** The servers are there, but none can be trusted, or none trusts this client: waiting does not cure it. */
export class DistrustError extends StatusError {
  override readonly name = 'DistrustError';

  constructor(doubts: readonly string[]) {
    super(status.unauthenticated, doubts.join('; '), true);
  }
}
