/**
 * ZooKeeper's wire format, written a second time and from its description alone: what the product reads and writes is not measured by itself.
 */
export function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

export function text(value: string): Buffer {
  return sized(Buffer.from(value));
}

/** Bytes behind their length. */
export function sized(value: Uint8Array): Buffer {
  return Buffer.concat([int(value.length), value]);
}

/** One frame of these parts. */
export function frame(...parts: readonly Uint8Array[]): Buffer {
  return sized(Buffer.concat(parts));
}

/** The answer of a server to a greeting; each part may be made wrong. */
export function welcome({
  version = 0,
  timeoutMs = 4_000,
  id = 7n,
  password = Buffer.alloc(16, 9),
  rest = [0],
} = {}): Buffer {
  return frame(int(version), int(timeoutMs), long(id), sized(password), Buffer.from(rest));
}

export function reply(xid: number, zxid: bigint, error: number, ...body: readonly Uint8Array[]): Buffer {
  return frame(int(xid), long(zxid), int(error), ...body);
}

/** A watch event; `type` as ZooKeeper numbers them: 3 is a change of data. */
export function event(type: number, path: string): Buffer {
  return reply(-1, -1n, 0, int(type), int(3), text(path));
}

/** A stat in the order of the fields that the protocol gives it. */
export function stat({ created = 1n, modified = 1n, version = 0, owner = 0n, dataLength = 0 } = {}): Buffer {
  const times = [long(created), long(modified), long(0n), long(0n)];
  return Buffer.concat([...times, int(version), int(0), int(0), long(owner), int(dataLength), int(0), long(1n)]);
}

/** Cuts bytes at the given places, which are taken modulo what is left. */
export function chopped(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const length = lengths.length === 0 ? bytes.length : (lengths[index % lengths.length] ?? 1);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}
