import type { WireCounts } from '../harness.js';

/** Counts that a meter adds to. */
export type WireTally = { -readonly [Name in keyof WireCounts]: WireCounts[Name] };

/** Reads along with one connection and never changes a byte; bytes it cannot read make it stop, not the connection. */
export interface WireMeter {
  fromClient(bytes: Buffer): void;
  fromServer(bytes: Buffer): void;
}

export type WireMeterMaker = (tally: WireTally) => WireMeter;

/** Keys of a session's own entry, in every layout: what is done to them keeps the session alive. */
export function isSessionKey(key: string): boolean {
  return /(^|\/)session\//.test(key);
}

/** A meter that falls silent for good at the first byte it cannot read. */
export function tolerant(meter: WireMeter): WireMeter {
  let readable = true;
  const attempt = (read: () => void): void => {
    if (!readable) return;
    try {
      read();
    } catch {
      readable = false;
    }
  };
  return {
    fromClient: (bytes) => attempt(() => meter.fromClient(bytes)),
    fromServer: (bytes) => attempt(() => meter.fromServer(bytes)),
  };
}
