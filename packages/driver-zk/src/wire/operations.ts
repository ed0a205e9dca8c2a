import type { Answer, Created, Listing, Node, NodeMode, NodeStat } from '../connection.js';
import type { JuteReader } from './jute-reader.js';
import { type JuteWriter, textBytes } from './jute-writer.js';
import { failureOf, operation } from './protocol.js';
import { aclBytes, type Permission, readLastChange, readStat, writeAcl } from './records.js';

/** One request of ZooKeeper's protocol: how it is written, and how its reply is read. */
export interface Operation<Value> {
  readonly code: number;
  /** Bytes that its arguments take at most. */
  readonly bytes: number;
  write(out: JuteWriter): void;
  read(reply: JuteReader): Value;
  /** Told the reply's error, 0 for none, as the reply is read: before whatever came behind it. */
  readonly noted?: (error: number) => void;
}

const flags: Readonly<Record<NodeMode, number>> = {
  persistent: 0,
  ephemeral: 1,
  'ephemeral-sequential': 3,
  container: 4,
};
const persistentWithTtl = 5;
const watcherOfAnyKind = 3;
const anyVersion = -1;
const addWatchModes = { persistent: 0, recursive: 1 } as const;
const nothing = (): null => null;

/** create2 and its kin: the stat comes with the path. */
export function create(path: string, data: Uint8Array, mode: NodeMode, acl: readonly Permission[]): Operation<Created> {
  return {
    code: mode === 'container' ? operation.createContainer : operation.create2,
    bytes: textBytes(path) + 8 + data.length + aclBytes(acl),
    write: (out) => {
      writeAcl(out.text(path).bytes(data), acl);
      out.int(flags[mode]);
    },
    read: (reply) => ({ path: reply.text(), stat: readStat(reply) }),
  };
}

/** A node that the server deletes when it had no change and no children for `ttlMs`; for servers with extended types. */
export function createTtl(
  path: string,
  data: Uint8Array,
  ttlMs: number,
  acl: readonly Permission[],
): Operation<Created> {
  const ttl = BigInt(ttlMs);
  return {
    code: operation.createTtl,
    bytes: textBytes(path) + 16 + data.length + aclBytes(acl),
    write: (out) => {
      writeAcl(out.text(path).bytes(data), acl);
      out.int(persistentWithTtl).long(ttl);
    },
    read: (reply) => ({ path: reply.text(), stat: readStat(reply) }),
  };
}

export function remove(path: string, version: number | 'any'): Operation<null> {
  const expected = counter(version);
  return {
    code: operation.delete,
    bytes: textBytes(path) + 4,
    write: (out) => void out.text(path).int(expected),
    read: nothing,
  };
}

export function exists(path: string, watch: boolean): Operation<NodeStat> {
  return { ...reading(operation.exists, path, watch), read: readStat };
}

export function getData(path: string, watch: boolean): Operation<Node> {
  return {
    ...reading(operation.getData, path, watch),
    read: (reply) => {
      const data = reply.bytes();
      return { data, stat: readStat(reply) };
    },
  };
}

export function getChildren(path: string, watch: boolean): Operation<Listing> {
  return {
    ...reading(operation.getChildren2, path, watch),
    read: (reply) => ({ names: reply.texts(), changed: readLastChange(reply) }),
  };
}

export function setData(path: string, data: Uint8Array, version: number | 'any'): Operation<NodeStat> {
  const expected = counter(version);
  return {
    code: operation.setData,
    bytes: textBytes(path) + 8 + data.length,
    write: (out) => void out.text(path).bytes(data).int(expected),
    read: readStat,
  };
}

/** Passes, within {@link multi}, when the node has this version. */
export function check(path: string, version: number): Operation<null> {
  const expected = counter(version);
  return {
    code: operation.check,
    bytes: textBytes(path) + 4,
    write: (out) => void out.text(path).int(expected),
    read: nothing,
  };
}

/** Lets this server catch up with its leader before it answers what follows. */
export function sync(path: string): Operation<null> {
  return { code: operation.sync, bytes: textBytes(path), write: (out) => void out.text(path), read: nothing };
}

/**
 * Several creations, deletions, writes and checks as one transaction: all of them, or none. Where it is refused, the step at fault says why
 * and the others failed with it.
 */
export function multi(steps: readonly Operation<unknown>[]): Operation<readonly Answer<unknown>[]> {
  return {
    code: operation.multi,
    bytes: steps.reduce((sum, step) => sum + 9 + step.bytes, 9),
    write: (out) => {
      for (const step of steps) step.write(out.int(step.code).flag(false).int(-1));
      out.int(-1).flag(true).int(-1);
    },
    read: (reply) => steps.map((step) => readResult(step, reply)),
  };
}

/** A watch that stays after it fired, for this node alone or for all below it; from ZooKeeper 3.6 on. */
export function addWatch(path: string, mode: keyof typeof addWatchModes): Operation<null> {
  return {
    code: operation.addWatch,
    bytes: textBytes(path) + 4,
    write: (out) => void out.text(path).int(addWatchModes[mode]),
    read: nothing,
  };
}

/** Takes back every watch of this connection on one path. */
export function removeWatches(path: string): Operation<null> {
  return {
    code: operation.removeWatches,
    bytes: textBytes(path) + 4,
    write: (out) => void out.text(path).int(watcherOfAnyKind),
    read: nothing,
  };
}

/** Proves an identity by a scheme of authentication; what it proves holds for the connection. */
export function auth(scheme: string, proof: Uint8Array): Operation<null> {
  return {
    code: operation.auth,
    bytes: 8 + textBytes(scheme) + proof.length,
    write: (out) => void out.int(0).text(scheme).bytes(proof),
    read: nothing,
  };
}

/** One step of a SASL exchange; answers the server's next one. */
export function sasl(token: Uint8Array): Operation<Uint8Array> {
  return {
    code: operation.sasl,
    bytes: 4 + token.length,
    write: (out) => void out.bytes(token),
    read: (reply) => reply.bytes(),
  };
}

/** An operation without arguments. */
export function bare(code: number): Operation<null> {
  return { code, bytes: 0, write: () => undefined, read: nothing };
}

function reading(code: number, path: string, watch: boolean): Pick<Operation<never>, 'code' | 'bytes' | 'write'> {
  return { code, bytes: textBytes(path) + 1, write: (out) => void out.text(path).flag(watch) };
}

function readResult(step: Operation<unknown>, reply: JuteReader): Answer<unknown> {
  const type = reply.int();
  reply.skip(5);
  // Within a transaction servers carry create2 out as create, which answers no stat (MultiOperationRecord).
  if (type === operation.create) return { ok: true, value: { path: reply.text(), stat: null } satisfies Created };
  if (type !== operation.error) return { ok: true, value: step.read(reply) };
  const [code, message] = failureOf(reply.int());
  return { ok: false, code, message };
}

// NaN would become 0, and -1 means any: only what is certainly a counter gets through. Asked before anything is written, which half a request
// would spoil.
function counter(version: number | 'any'): number {
  if (version === 'any') return anyVersion;
  if (version !== (version | 0) || version === anyVersion) throw new RangeError('not a version counter');
  return version;
}
