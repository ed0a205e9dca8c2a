/** One field of a protobuf message: a number, or bytes that may be a message again. */
export interface ProtobufField {
  readonly id: number;
  readonly number: bigint;
  readonly bytes: Buffer;
}

const none: Buffer = Buffer.alloc(0);

/** The fields of a message in the order they were written. */
export function* protobufFields(message: Buffer): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field = { id: tag >> 3, number: 0n, bytes: none };
    const type = tag & 7;
    if (type === 0) field.number = varint();
    else {
      const length = type === 2 ? Number(varint()) : type === 1 ? 8 : 4;
      field.bytes = message.subarray(at, at + length);
      at += length;
    }
    yield field;
  }
}
