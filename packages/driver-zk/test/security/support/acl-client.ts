import type { Credentials, StoreNode } from '@concordat/conformance/servers';
import { onTestFinished } from 'vitest';
import type { Answer } from '../../../src/connection.js';
import { readSecurity } from '../../../src/security.js';
import { authenticate } from '../../../src/wire/authenticate.js';
import type { Channel } from '../../../src/wire/channel.js';
import { dial } from '../../../src/wire/dial.js';
import type { JuteReader } from '../../../src/wire/jute-reader.js';
import { textBytes } from '../../../src/wire/jute-writer.js';
import { create, getChildren, getData, type Operation, setData } from '../../../src/wire/operations.js';
import { aclBytes, type Permission, writeAcl } from '../../../src/wire/records.js';

const getAclCode = 6;
const setAclCode = 7;
const anyVersion = -1;
// Behind four numbers of eight bytes, and two other versions.
const aclVersionAt = 40;
const letters = ['r', 'w', 'c', 'd', 'a'];

/** Reads and writes permissions as zkCli does, in its words: the driver itself asks for none. */
export class AclClient {
  readonly #channel: Channel;

  private constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Closed with the test. */
  static async open({ door }: StoreNode, credentials: Credentials | null, auth = 'digest'): Promise<AclClient> {
    const address = { ...door, name: door.host };
    const greeting = { identity: null, seen: 0n, timeoutMs: 60_000 };
    const dialled = await dial({ address, tls: null }, greeting, AbortSignal.timeout(5_000));
    if (!dialled.ok) throw new Error(`no connection: ${dialled.failure}`);
    onTestFinished(() => dialled.channel.destroy());
    const security = readSecurity({ credentials, extra: credentials === null ? {} : { auth } });
    const authentication = await authenticate(dialled.channel, security);
    if (authentication !== 'accepted') throw new Error(`authentication ${authentication}`);
    return new AclClient(dialled.channel);
  }

  /** Such as `digest:alice:…:rwcda`. */
  async acl(path: string): Promise<readonly string[]> {
    return (await this.#acl(path)).acl.map(inWords);
  }

  /** How often the permissions of a node were changed since it was created. */
  async changesOfAcl(path: string): Promise<number> {
    return (await this.#acl(path)).changes;
  }

  async setAcl(path: string, acl: string): Promise<void> {
    const permissions = permissionsOf(acl);
    await this.#ask({
      code: setAclCode,
      bytes: textBytes(path) + aclBytes(permissions) + 4,
      write: (out) => {
        writeAcl(out.text(path), permissions);
        out.int(anyVersion);
      },
      read: () => null,
    });
  }

  async create(path: string, acl: string): Promise<void> {
    await this.#ask(create(path, Buffer.alloc(0), 'persistent', permissionsOf(acl)));
  }

  async read(path: string): Promise<string> {
    return Buffer.from((await this.#ask(getData(path, false))).data).toString();
  }

  async write(path: string, value: string): Promise<void> {
    await this.#ask(setData(path, Buffer.from(value), 'any'));
  }

  /** A node and everything below it. */
  async tree(path: string): Promise<readonly string[]> {
    const { names } = await this.#ask(getChildren(path, false));
    const below = await Promise.all(names.map((name) => this.tree(`${path}/${name}`)));
    return [path, ...below.flat()];
  }

  #acl(path: string): Promise<{ readonly acl: readonly Permission[]; readonly changes: number }> {
    return this.#ask({
      code: getAclCode,
      bytes: textBytes(path),
      write: (out) => void out.text(path),
      read: (reply) => ({ acl: readAcl(reply), changes: reply.skip(aclVersionAt).int() }),
    });
  }

  async #ask<Value>(operation: Operation<Value>): Promise<Value> {
    const answer: Answer<Value> = await this.#channel.ask(operation);
    if (!answer.ok) throw new Error(answer.message);
    return answer.value;
  }
}

function readAcl(reply: JuteReader): readonly Permission[] {
  return Array.from({ length: reply.int() }, () => {
    const allowed = reply.int();
    return { scheme: reply.text(), id: reply.text(), allowed };
  });
}

function permissionsOf(acl: string): readonly Permission[] {
  return readSecurity({ credentials: null, extra: { acl } }).acl;
}

function inWords({ scheme, id, allowed }: Permission): string {
  return `${scheme}:${id}:${letters.filter((_, bit) => (allowed & (1 << bit)) !== 0).join('')}`;
}
