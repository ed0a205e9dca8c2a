import type { NodeStat } from '../connection.js';
import type { JuteReader } from './jute-reader.js';
import type { JuteWriter } from './jute-writer.js';

/** One line of an access control list: who, by which scheme, may do what. */
export interface Permission {
  readonly scheme: string;
  readonly id: string;
  /** Sum of 1 read, 2 write, 4 create, 8 delete, 16 administer. */
  readonly allowed: number;
}

// czxid, mzxid, ctime, mtime, version, cversion, aversion, ephemeralOwner, dataLength, numChildren, pzxid.
const times = 16;
const otherVersions = 8;
const restOfStat = 12;
const noOwner = 0n;
// What the server keeps in place of an owner for container nodes, and, in the highest byte, for those with a time to live.
const container = 0x8000000000000000n;
const withTimeToLive = 0xffn;

export function readStat(reply: JuteReader): NodeStat {
  const [created, modified] = [reply.long(), reply.long()];
  const version = reply.skip(times).int();
  const owner = BigInt.asUintN(64, reply.skip(otherVersions).long());
  const dataLength = reply.int();
  reply.skip(restOfStat);
  const isSession = owner !== noOwner && owner !== container && owner >> 56n !== withTimeToLive;
  return { created, modified, version, owner: isSession ? owner.toString(16) : null, dataLength };
}

export function writeAcl(out: JuteWriter, acl: readonly Permission[]): void {
  out.int(acl.length);
  for (const { scheme, id, allowed } of acl) out.int(allowed).text(scheme).text(id);
}

/** Bytes that it takes at most. */
export function aclBytes(acl: readonly Permission[]): number {
  return acl.reduce((sum, { scheme, id }) => sum + 12 + 3 * (scheme.length + id.length), 4);
}
