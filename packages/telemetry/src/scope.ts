/** Name and version of the scope that every metric and span is from. */
export const scope = { name: '@concordat/telemetry', version: '0.1.0' } as const;
