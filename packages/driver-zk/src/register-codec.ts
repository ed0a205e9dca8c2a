import type { Register } from '@concordat/core/spi';
import { CoordinationError } from '@concordat/core/spi';
import type { Node, NodeStat } from './connection.js';

const counterBits = 32;
// A node would have to be written 4,294,967,294 times to get there.
const counterOfNone = -2;

/**
 * mzxid and the node's own counter in one number: it rises with every write, and holds what the server can compare. The
 * server knows only the counter, which restarts when a node is created again; so persistent nodes are never unlinked.
 */
export function versionOf(stat: NodeStat): bigint {
  return (stat.modified << BigInt(counterBits)) | BigInt.asUintN(counterBits, BigInt(stat.version));
}

/** The counter within a version; of one that no write ever made, such as 0, a counter that no node has. */
export function counterOf(version: bigint): number {
  if (version >> BigInt(counterBits) <= 0n) return counterOfNone;
  const counter = Number(BigInt.asIntN(counterBits, version));
  // -1 would mean "any"; it takes 4,294,967,295 writes to get there.
  if (counter === -1) throw new CoordinationError('BACKEND', 'the version counter of this node is exhausted');
  return counter;
}

/** Zero bytes mean absent, except in an ephemeral node, which is there as long as it exists. */
export function isPresent(stat: NodeStat): boolean {
  return stat.owner !== null || stat.dataLength > 0;
}

export function registerOf(value: Uint8Array, stat: NodeStat): Register {
  return { value, version: versionOf(stat), created: stat.created, owner: stat.owner };
}

/** The register a node holds; `null` when it holds none or there is no node. */
export function toRegister(node: Node | null): Register | null {
  return node !== null && isPresent(node.stat) ? registerOf(node.data, node.stat) : null;
}
