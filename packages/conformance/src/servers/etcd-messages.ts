import { ByteQueue } from './byte-queue.js';
import { protobufFields } from './protobuf.js';

/** What a request to etcd touches. */
export interface EtcdRequest {
  readonly keys: readonly string[];
  readonly writes: boolean;
}

/** The gRPC messages of one direction of one stream: a flag, four bytes of length, and the message. */
export class GrpcMessages {
  readonly #queue = new ByteQueue();

  *read(bytes: Buffer): Generator<Buffer> {
    this.#queue.push(bytes);
    for (;;) {
      const length = this.#queue.peek(5)?.readUInt32BE(1);
      if (length === undefined) return;
      const message = this.#queue.take(5 + length);
      if (message === null) return;
      yield message.subarray(5);
    }
  }
}

/** Keys of a RangeRequest, PutRequest, DeleteRangeRequest or TxnRequest, and whether it can change something. */
export function etcdRequest(method: string, message: Buffer): EtcdRequest {
  const keys: string[] = [];
  if (method === 'Txn') return { keys, writes: readTxn(message, keys) };
  keys.push(bytesOf(message, 1));
  return { keys, writes: method !== 'Range' };
}

/** The key that a WatchRequest starts to watch; `undefined` when it asks for progress, empty when it cancels. */
export function watchedKey(message: Buffer): string | undefined {
  for (const field of protobufFields(message)) {
    if (field.id === 1) return bytesOf(field.bytes, 1);
    if (field.id === 2) return '';
  }
  return undefined;
}

/** Keys of the events in a WatchResponse; none when it only says that a watch began, ended or is up to date. */
export function changedKeys(message: Buffer): readonly string[] {
  const keys: string[] = [];
  for (const field of protobufFields(message)) {
    if ((field.id === 3 || field.id === 4) && field.number !== 0n) return [];
    if (field.id !== 11) continue;
    for (const part of protobufFields(field.bytes)) if (part.id === 2) keys.push(bytesOf(part.bytes, 1));
  }
  return keys;
}

// Compare has its key in field 3; RequestOp is one of range, put, delete range and a transaction again.
function readTxn(message: Buffer, keys: string[]): boolean {
  let writes = false;
  for (const part of protobufFields(message)) {
    if (part.id === 1) keys.push(bytesOf(part.bytes, 3));
    else
      for (const operation of protobufFields(part.bytes)) {
        if (operation.id === 4) writes = readTxn(operation.bytes, keys) || writes;
        else {
          keys.push(bytesOf(operation.bytes, 1));
          writes ||= operation.id !== 1;
        }
      }
  }
  return writes;
}

function bytesOf(message: Buffer, id: number): string {
  for (const field of protobufFields(message)) if (field.id === id) return field.bytes.toString('utf8');
  return '';
}
