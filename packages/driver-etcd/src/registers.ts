import {
  type Call,
  type Consistency,
  CoordinationError,
  type DeleteOptions,
  type DeleteResult,
  type Key,
  type PutOptions,
  type PutResult,
  type Register,
} from '@concordat/core/spi';
import { withoutValue } from './key-facts.js';
import type { Keys } from './keys.js';
import { hexLease } from './names.js';
import type { Requests } from './requests.js';
import type { SessionKeeper } from './session-keeper.js';
import {
  type Compare,
  CompareResult,
  CompareTarget,
  type KeyValue,
  type Operation,
  type TransactionReply,
} from './transport.js';

interface Writes {
  readonly create: Operation;
  readonly overwrite: Operation;
  readonly facts: Operation;
}

// etcd takes requests of up to 1.5 MiB.
const largestTwice = 700_000;

/** Values by key, with compare-and-set: etcd's revisions are the versions. */
export class Registers {
  readonly #requests: Requests;
  readonly #keys: Keys;
  readonly #keeper: SessionKeeper;

  constructor(requests: Requests, keys: Keys, keeper: SessionKeeper) {
    this.#requests = requests;
    this.#keys = keys;
    this.#keeper = keeper;
  }

  async get(key: Key, consistency: Consistency, call: Call): Promise<Register | null> {
    const request = { key: this.#keys.at(key) };
    if (consistency === 'session') {
      const { newest } = this.#requests;
      const reply = await this.#requests.serializableRange(request, call);
      // This member may lag behind what another one answered before.
      const revision = BigInt(reply.header.revision);
      this.#requests.sawRevision(revision);
      if (revision >= newest) return firstOf(reply.kvs);
    }
    return firstOf((await this.#requests.range(request, call)).kvs);
  }

  async put(key: Key, value: Uint8Array, options: PutOptions, call: Call): Promise<PutResult> {
    const at = this.#keys.at(key);
    const lease = options.ephemeral === true ? this.#keeper.lease(this.#requests.session.epoch) : null;
    const create: Operation = { request_put: { key: at, value: bytes(value), ...(lease === null ? {} : { lease }) } };
    // A plain put would detach the key from its lease (etcd's issue 14758).
    const overwrite: Operation = { request_put: { key: at, value: bytes(value), ignore_lease: true } };
    const facts: Operation = { request_range: { key: at, ...withoutValue } };
    const current: Operation = { request_range: { key: at } };
    if (options.expect === 'any') return this.#putAnyway(at, value, { create, overwrite, facts }, call);
    const absent = options.expect === 'absent';
    const reply = await this.#requests.writeTxn(
      {
        compare: options.expect === 'absent' ? [isAbsent(at)] : [exists(at), hasVersion(at, options.expect)],
        success: absent ? [create] : [overwrite, facts],
        failure: [current],
      },
      call,
    );
    if (!reply.succeeded) return { stored: false, current: pairIn(reply) };
    if (!absent) return { stored: true, register: { ...need(pairIn(reply)), value } };
    const version = BigInt(reply.header.revision);
    return {
      stored: true,
      register: { value, version, created: version, owner: lease === null ? null : hexLease(lease) },
    };
  }

  async #putAnyway(
    at: Buffer,
    value: Uint8Array,
    { create, overwrite, facts }: Writes,
    call: Call,
  ): Promise<PutResult> {
    const stored = (reply: TransactionReply): PutResult => ({
      stored: true,
      register: { ...need(pairIn(reply)), value },
    });
    const compare = [exists(at)];
    const success = [overwrite, facts];
    if (value.length <= largestTwice) {
      return stored(await this.#requests.writeTxn({ compare, success, failure: [create, facts] }, call));
    }
    // Both ways in one request would be larger than etcd takes, so it is one after the other until one holds.
    while (!call.over) {
      const over = await this.#requests.writeTxn({ compare, success }, call);
      if (over.succeeded) return stored(over);
      const made = await this.#requests.writeTxn({ compare: [isAbsent(at)], success: [create, facts] }, call);
      if (made.succeeded) return stored(made);
    }
    throw new CoordinationError('UNAVAILABLE', 'the register came and went until the limit');
  }

  async delete(key: Key, options: DeleteOptions, call: Call): Promise<DeleteResult> {
    const at = this.#keys.at(key);
    const compare: Compare[] = [exists(at)];
    if (options.expect !== undefined) compare.push(hasVersion(at, options.expect));
    if (options.owner !== undefined) compare.push(isOwnedBy(at, options.owner));
    const success = [{ request_delete_range: { key: at } }];
    const reply = await this.#requests.writeTxn({ compare, success, failure: [{ request_range: { key: at } }] }, call);
    return reply.succeeded ? { deleted: true } : { deleted: false, current: pairIn(reply) };
  }

  async children(dir: Key, call: Call): Promise<readonly string[]> {
    const { range, nameOf } = this.#keys.below(dir);
    const { kvs } = await this.#requests.range({ ...range, keys_only: true }, call);
    return kvs.map((pair) => nameOf(pair.key)).filter((name) => name !== '' && !name.includes('/'));
  }
}

/** A stored pair as the contract has it. */
export function toRegister(pair: KeyValue): Register {
  return {
    value: new Uint8Array(pair.value.buffer, pair.value.byteOffset, pair.value.byteLength),
    version: BigInt(pair.mod_revision),
    created: BigInt(pair.create_revision),
    owner: pair.lease === '0' ? null : hexLease(pair.lease),
  };
}

/** The value is compared too: a wiped store counts its revisions anew. */
export function sameRegister(one: Register, other: Register): boolean {
  return one.version === other.version && one.created === other.created && Buffer.compare(one.value, other.value) === 0;
}

export function exists(key: Buffer): Compare {
  return { key, target: CompareTarget.Create, result: CompareResult.Greater, create_revision: '0' };
}

export function isAbsent(key: Buffer): Compare {
  return { key, target: CompareTarget.Create, result: CompareResult.Equal, create_revision: '0' };
}

export function wasCreatedAt(key: Buffer, revision: bigint): Compare {
  return { key, target: CompareTarget.Create, result: CompareResult.Equal, create_revision: String(revision) };
}

/** The bytes themselves, as the client package wants them. */
export function bytes(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function hasVersion(key: Buffer, version: bigint): Compare {
  return { key, target: CompareTarget.Mod, result: CompareResult.Equal, mod_revision: String(version) };
}

function isOwnedBy(key: Buffer, owner: string): Compare {
  return { key, target: CompareTarget.Lease, result: CompareResult.Equal, lease: String(BigInt(`0x${owner}`)) };
}

function firstOf(pairs: readonly KeyValue[]): Register | null {
  const pair = pairs[0];
  return pair === undefined ? null : toRegister(pair);
}

function pairIn(reply: TransactionReply): Register | null {
  const range = reply.responses.at(-1)?.response_range;
  return firstOf(range?.kvs ?? []);
}

function need(register: Register | null): Register {
  if (register !== null) return register;
  throw new CoordinationError('BACKEND', 'etcd: a transaction did not show what it wrote');
}
