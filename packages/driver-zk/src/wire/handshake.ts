import type { Identity } from '../connection.js';
import { type JuteReader, MalformedError } from './jute-reader.js';
import type { JuteWriter } from './jute-writer.js';

/** What a connection asks for when it begins. */
export interface Greeting {
  /** The session to attach to; `null` asks for a new one. */
  readonly identity: Identity | null;
  /** Last transaction that the session saw: a server that is behind it closes the connection instead of answering. */
  readonly seen: bigint;
  readonly timeoutMs: number;
}

/** What the server made of it. */
export interface Welcome {
  readonly identity: Identity;
  /** Not above 0 when the session that was asked for is over. */
  readonly timeoutMs: number;
  /** The server has no quorum, and takes reads alone. */
  readonly readOnly: boolean;
}

/** Bytes of a greeting. */
export const greetingBytes = 45;
/** Longest answer to a greeting, in bytes; whoever sends more is not ZooKeeper. */
export const longestWelcome = 1_024;

const passwordBytes = 16;
const protocolVersion = 0;

export function writeGreeting(out: JuteWriter, { identity, seen, timeoutMs }: Greeting): void {
  out.int(protocolVersion).long(seen).int(timeoutMs);
  out.long(identity === null ? 0n : BigInt.asIntN(64, BigInt(`0x${identity.id}`)));
  out.bytes(identity === null ? Buffer.alloc(passwordBytes) : Buffer.from(identity.password, 'hex'));
  // Not content with a server that cannot write.
  out.flag(false);
}

/** @throws {MalformedError} when no ZooKeeper would answer so. */
export function readWelcome(frame: JuteReader): Welcome {
  if (frame.int() !== protocolVersion) throw new MalformedError('another version of the protocol');
  const timeoutMs = frame.int();
  const id = frame.hex();
  const password = Buffer.from(frame.bytes());
  if (password.length !== passwordBytes) throw new MalformedError('a password of another length');
  // Servers before 3.4 do not say.
  const readOnly = frame.left > 0 && frame.flag();
  return { identity: { id, password: password.toString('hex') }, timeoutMs, readOnly };
}
