import type { Host } from '@concordat/core/spi';
import type { Credentials } from './credentials.js';

/** A key and its value as the gateway shows them, in base64. */
export interface GatewayKeyValue {
  readonly key: string;
  readonly value?: string;
}

interface RangeReply {
  readonly kvs?: readonly GatewayKeyValue[];
}

interface TokenReply {
  readonly token: string;
}

interface MemberReply {
  readonly members?: readonly { readonly name?: string }[];
}

const answerLimitMs = 5_000;
const afterSlash = '0';

/** The server refused a request. */
class EtcdRefusal extends Error {
  override readonly name = 'EtcdRefusal';
}

/** Whether etcd refused because it wants to know who asks, or no longer knows. */
export function asksWhoItIs(error: unknown): boolean {
  return error instanceof EtcdRefusal && /user name is empty|invalid auth token|old revision/.test(error.message);
}

/** What an {@link EtcdGateway} can be told. */
export interface EtcdGatewayOptions {
  /** Uses a connection again: faster, but it may lead to a server that was killed or frozen meanwhile. */
  readonly keepAlive?: boolean;
  /** Who to be when the server asks; without, nobody in particular. */
  readonly credentials?: Credentials | undefined;
}

/** etcd's own JSON door, so that operators and tests need no client package. */
export class EtcdGateway {
  readonly #base: string;
  readonly #credentials: Credentials | undefined;
  #headers: Readonly<Record<string, string>>;

  constructor(host: Host, { keepAlive = false, credentials }: EtcdGatewayOptions = {}) {
    this.#credentials = credentials;
    this.#headers = keepAlive ? {} : { connection: 'close' };
    this.#base = `http://${host.host.includes(':') ? `[${host.host}]` : host.host}:${host.port}/v3`;
  }

  /** All keys below a directory such as `a/b/`, oldest first; below the empty one lies everything. */
  async below(directory: string): Promise<readonly GatewayKeyValue[]> {
    const [from, end] = directory === '' ? ['\0', '\0'] : [directory, directory.replace(/\/$/, afterSlash)];
    const order = { sort_target: 'CREATE', sort_order: 'ASCEND' };
    const reply = await this.#post('kv/range', { key: encode(from), range_end: encode(end), ...order });
    return (reply as RangeReply).kvs ?? [];
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    await this.#post('kv/put', { key: encode(key), value: Buffer.from(value).toString('base64') });
  }

  async delete(key: string): Promise<void> {
    await this.#post('kv/deleterange', { key: encode(key) });
  }

  /** @param lease in lower-case hex, as Go writes it. */
  async revoke(lease: string): Promise<void> {
    await this.#post('lease/revoke', { ID: BigInt(`0x${lease.replace(/^0x/, '')}`).toString() });
  }

  async memberNames(): Promise<readonly string[]> {
    const { members = [] } = (await this.#post('cluster/member/list', {})) as MemberReply;
    return members.map(({ name = '' }) => name);
  }

  async #post(path: string, body: object): Promise<unknown> {
    try {
      return await this.#request(path, body);
    } catch (error) {
      if (this.#credentials === undefined || !asksWhoItIs(error)) throw error;
      const { username: name, password } = this.#credentials;
      const { token } = (await this.#request('auth/authenticate', { name, password })) as TokenReply;
      this.#headers = { ...this.#headers, authorization: token };
      return this.#request(path, body);
    }
  }

  async #request(path: string, body: object): Promise<unknown> {
    const reply = await fetch(`${this.#base}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerLimitMs),
      headers: this.#headers,
    });
    const text = await reply.text();
    if (!reply.ok) throw new EtcdRefusal(`etcd refused ${path} with ${reply.status}: ${text}`);
    return JSON.parse(text);
  }
}

/** The text behind base64. */
export function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
