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
const statBeforeLastChange = 60;
// No session; what some servers show in place of one for container nodes, and for those with a time to live. The highest byte of a session is the
// number of the server that it began on, up to 255; below it are the bits of the time, which are zero for a few hours in 35 years.
const noSession = /^(0|80{15}|ff0{4}.{10})$/;

export function readStat(reply: JuteReader): NodeStat {
  const [created, modified] = [reply.long(), reply.long()];
  const version = reply.skip(times).int();
  const owner = reply.skip(otherVersions).hex();
  const dataLength = reply.int();
  reply.skip(restOfStat);
  return { created, modified, version, owner: noSession.test(owner) ? null : owner, dataLength };
}

/** Of a stat, the transaction in which a child last came or went. */
export function readLastChange(reply: JuteReader): bigint {
  return reply.skip(statBeforeLastChange).long();
}

export function writeAcl(out: JuteWriter, acl: readonly Permission[]): void {
  out.int(acl.length);
  for (const { scheme, id, allowed } of acl) out.int(allowed).text(scheme).text(id);
}

/** Bytes that it takes at most. */
export function aclBytes(acl: readonly Permission[]): number {
  return acl.reduce((sum, { scheme, id }) => sum + 12 + 3 * (scheme.length + id.length), 4);
}
