import type { Host } from '@concordat/core/spi';

/** Somebody else, at etcd's JSON gateway: for what the suite's operator has no word. */
export class Gateway {
  readonly #base: string;

  constructor({ host, port }: Host) {
    this.#base = `http://${host}:${String(port)}/v3`;
  }

  /** Resolves with the revision of the write. */
  async put(key: string, value: string): Promise<bigint> {
    const { header } = (await this.#post('/kv/put', { key: encode(key), value: encode(value) })) as {
      header: { revision: string };
    };
    return BigInt(header.revision);
  }

  /** Many keys in one transaction, so that they share a revision. */
  async putTogether(pairs: readonly (readonly [string, string])[]): Promise<void> {
    const success = pairs.map(([key, value]) => ({ requestPut: { key: encode(key), value: encode(value) } }));
    await this.#post('/kv/txn', { success });
  }

  /** Resolves with the revision of the deletion. */
  async delete(key: string): Promise<bigint> {
    const { header } = (await this.#post('/kv/deleterange', { key: encode(key) })) as { header: { revision: string } };
    return BigInt(header.revision);
  }

  /** How many leases the store knows. */
  async leases(): Promise<number> {
    const { leases = [] } = (await this.#post('/lease/leases', {})) as { leases?: readonly unknown[] };
    return leases.length;
  }

  async compact(revision: bigint): Promise<void> {
    await this.#post('/kv/compaction', { revision: String(revision), physical: true });
  }

  /** Makes the user `root` and switches authentication on. */
  async enableAuthentication(password: string): Promise<void> {
    await this.#post('/auth/user/add', { name: 'root', password });
    await this.#post('/auth/role/add', { name: 'root' });
    await this.#post('/auth/user/grant', { user: 'root', role: 'root' });
    await this.#post('/auth/enable', {});
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const reply = await fetch(this.#base + path, { method: 'POST', body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`the gateway answered ${String(reply.status)}`);
    return reply.json();
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
