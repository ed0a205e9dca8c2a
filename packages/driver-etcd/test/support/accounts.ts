import type { Gateway } from './gateway.js';

/** Users and roles of one etcd, which its operator makes and takes away. */
export class Accounts {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** A user with a role of the same name, who may do everything below these prefixes. */
  async addUser(name: string, password: string, ...prefixes: readonly string[]): Promise<void> {
    await this.#gateway.post('/auth/user/add', { name, password });
    await this.#gateway.post('/auth/role/add', { name });
    await this.#gateway.post('/auth/user/grant', { user: name, role: name });
    for (const prefix of prefixes) await this.permit(name, prefix);
  }

  async setPassword(name: string, password: string): Promise<void> {
    await this.#gateway.post('/auth/user/changepw', { name, password });
  }

  async deleteUser(name: string): Promise<void> {
    await this.#gateway.post('/auth/user/delete', { name });
  }

  async permit(role: string, prefix: string): Promise<void> {
    const [key, range_end] = rangeOf(prefix);
    await this.#gateway.post('/auth/role/grant', { name: role, perm: { permType: 'READWRITE', key, range_end } });
  }

  async forbid(role: string, prefix: string): Promise<void> {
    const [key, range_end] = rangeOf(prefix);
    await this.#gateway.post('/auth/role/revoke', { role, key, range_end });
  }

  async enable(): Promise<void> {
    await this.#gateway.post('/auth/enable', {});
  }

  async disable(): Promise<void> {
    await this.#gateway.post('/auth/disable', {});
  }
}

// Everything that begins with it.
function rangeOf(prefix: string): readonly [key: string, end: string] {
  const key = Buffer.from(prefix);
  const end = Buffer.from(key);
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return [key.toString('base64'), end.toString('base64')];
}
