const codes: ReadonlySet<string> = new Set([
  'CONFLICT',
  'GRANT_LOST',
  'OUTCOME_UNKNOWN',
  'SESSION_LOST',
  'TIMEOUT',
  'UNAVAILABLE',
]);

/** Whether faults of stores and networks, and others at work, may end a call so. Anything else is a defect, of Concordat or of the run. */
export function isOfFaults(code: string): boolean {
  return codes.has(code);
}
