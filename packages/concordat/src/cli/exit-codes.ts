import { constants } from 'node:os';
import type { CoordinationError, CoordinationErrorCode } from '@concordat/core';

/** What the command answers when it is not COMMAND's own exit code; numbers of sysexits.h and of shells. */
export const exitCodes = {
  /** EX_USAGE: wrong arguments, name, URL or options. */
  usage: 64,
  /** EX_UNAVAILABLE: the store, or its driver, cannot be used. */
  unavailable: 69,
  /** EX_TEMPFAIL: the lock could not be had in time. */
  notGranted: 75,
  /** The lock was lost while COMMAND ran. */
  lost: 76,
  /** EX_NOPERM: the store refused the credentials or the call. */
  denied: 77,
  notExecutable: 126,
  notFound: 127,
} as const;

const byErrorCode: Partial<Record<CoordinationErrorCode, number>> = {
  INVALID_ARGUMENT: exitCodes.usage,
  TOO_LARGE: exitCodes.usage,
  TIMEOUT: exitCodes.notGranted,
  GRANT_LOST: exitCodes.lost,
  UNAUTHENTICATED: exitCodes.denied,
  PERMISSION_DENIED: exitCodes.denied,
};

export function exitCodeOfError(error: CoordinationError): number {
  return byErrorCode[error.code] ?? exitCodes.unavailable;
}

/** 128 + n, as shells report a process that a signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
