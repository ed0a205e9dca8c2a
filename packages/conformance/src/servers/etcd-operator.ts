import type { Host } from '@concordat/core/spi';
import type { Operator } from '../harness.js';
import type { Credentials } from './credentials.js';
import { decode, EtcdGateway } from './etcd-gateway.js';
import { writeSteadily } from './steady-writer.js';

const bystanderKey = 'bystander';

/** Somebody at etcd's JSON gateway. */
export class EtcdOperator implements Operator {
  readonly #host: Host;
  readonly #credentials: Credentials | undefined;
  readonly #gateway: EtcdGateway;

  constructor(host: Host, credentials?: Credentials) {
    this.#host = host;
    this.#credentials = credentials;
    this.#gateway = new EtcdGateway(host, { credentials });
  }

  async keys(namespace: string): Promise<readonly string[]> {
    return [...(await this.#below(prefixOf(namespace)))].sort();
  }

  entries(namespace: string, dir: string): Promise<readonly string[]> {
    return this.#below(prefixOf(namespace, dir));
  }

  deleteEntry(namespace: string, dir: string, name: string): Promise<void> {
    return this.#gateway.delete(prefixOf(namespace, dir) + name);
  }

  write(namespace: string, key: string, value: Uint8Array): Promise<void> {
    return this.#gateway.put(prefixOf(namespace) + key, value);
  }

  expireSession(id: string): Promise<void> {
    return this.#gateway.revoke(id);
  }

  writeSteadily(): Promise<() => Promise<void>> {
    return writeSteadily(async () => {
      const gateway = new EtcdGateway(this.#host, { keepAlive: true, credentials: this.#credentials });
      return { write: () => gateway.put(bystanderKey, Buffer.of(1)), close: () => Promise.resolve() };
    });
  }

  async #below(prefix: string): Promise<readonly string[]> {
    return (await this.#gateway.below(prefix)).map(({ key }) => decode(key).slice(prefix.length));
  }
}

function prefixOf(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => `${part}/`)
    .join('');
}
