import type { Host } from '@concordat/core/spi';

/** Who to be at the gateway. */
interface Operator {
  readonly name: string;
  readonly password: string;
}

const mostTries = 5;

/** Somebody else, at etcd's JSON gateway: for what the suite's operator has no word. */
export class Gateway {
  readonly #base: string;
  #operator: Operator | null = null;
  #token: string | null = null;

  constructor({ host, port }: Host) {
    this.#base = `http://${host}:${String(port)}/v3`;
  }

  /** Resolves with the revision of the write. */
  async put(key: string, value: string): Promise<bigint> {
    const { header } = (await this.post('/kv/put', { key: encode(key), value: encode(value) })) as {
      header: { revision: string };
    };
    return BigInt(header.revision);
  }

  /** Many keys in one transaction, so that they share a revision. */
  async putTogether(pairs: readonly (readonly [string, string])[]): Promise<void> {
    const success = pairs.map(([key, value]) => ({ requestPut: { key: encode(key), value: encode(value) } }));
    await this.post('/kv/txn', { success });
  }

  /** Resolves with the revision of the deletion. */
  async delete(key: string): Promise<bigint> {
    const { header } = (await this.post('/kv/deleterange', { key: encode(key) })) as { header: { revision: string } };
    return BigInt(header.revision);
  }

  /** How many leases the store knows. */
  async leases(): Promise<number> {
    const { leases = [] } = (await this.post('/lease/leases', {})) as { leases?: readonly unknown[] };
    return leases.length;
  }

  async compact(revision: bigint): Promise<void> {
    await this.post('/kv/compaction', { revision: String(revision), physical: true });
  }

  /** Makes the user `root`, switches authentication on, and is that user from now on. */
  async enableAuthentication(password: string): Promise<void> {
    await this.post('/auth/user/add', { name: 'root', password });
    await this.post('/auth/role/add', { name: 'root' });
    await this.post('/auth/user/grant', { user: 'root', role: 'root' });
    await this.post('/auth/enable', {});
    this.#operator = { name: 'root', password };
  }

  /** A request of any kind, as the operator. A token is stale when it expired, which may take a moment only, or when any user was changed. */
  async post(path: string, body: object): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.#send(path, body);
      if (reply.ok) return reply.json();
      const text = await reply.text();
      const isStale = /token|auth store|user name is empty/.test(text);
      if (this.#operator === null || !isStale || tries === mostTries) throw refused(path, text);
      await this.#login(this.#operator);
    }
  }

  // Where authentication was switched off there is nobody to be.
  async #login(operator: Operator): Promise<void> {
    this.#token = null;
    const login = await this.#send('/auth/authenticate', operator);
    if (login.ok) this.#token = ((await login.json()) as { token: string }).token;
  }

  #send(path: string, body: object): Promise<Response> {
    const headers: Record<string, string> = this.#token === null ? {} : { authorization: this.#token };
    return fetch(this.#base + path, { method: 'POST', body: JSON.stringify(body), headers });
  }
}

function refused(path: string, text: string): Error {
  return new Error(`the gateway refused ${path}: ${text}`);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
