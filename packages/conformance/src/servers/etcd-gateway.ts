import type { Host } from '@concordat/core/spi';

/** A key and its value as the gateway shows them, in base64. */
export interface GatewayKeyValue {
  readonly key: string;
  readonly value?: string;
}

interface RangeReply {
  readonly kvs?: readonly GatewayKeyValue[];
}

interface MemberReply {
  readonly members?: readonly { readonly name?: string }[];
}

const answerLimitMs = 5_000;
const afterSlash = '0';

/** etcd's own JSON door, so that operators and tests need no client package. */
export class EtcdGateway {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param options.keepAlive uses a connection again: faster, but it may lead to a server that was killed or frozen meanwhile.
   */
  constructor(host: Host, { keepAlive = false } = {}) {
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
    const reply = await fetch(`${this.#base}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerLimitMs),
      headers: this.#headers,
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`etcd refused ${path} with ${reply.status}: ${text}`);
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
