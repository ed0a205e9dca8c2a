import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock, Host } from '@concordat/core/spi';
import type { Address } from './connection.js';
import { Limit } from './limit.js';

/** Numeric addresses of all hosts. Names are looked up each time; the last known addresses serve while DNS does not. */
export class Addresses {
  readonly #hosts: readonly Host[];
  readonly #clock: Clock;
  readonly #known = new Map<string, readonly string[]>();

  constructor(hosts: readonly Host[], clock: Clock) {
    this.#hosts = hosts;
    this.#clock = clock;
  }

  /** In random order, so that many clients spread over the servers. */
  async shuffled(limitMs: number): Promise<readonly Address[]> {
    const found = await Promise.all(this.#hosts.map((host) => this.#resolve(host, limitMs)));
    return found
      .flat()
      .map((address) => ({ address, place: Math.random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ address }) => address);
  }

  async #resolve({ host, port }: Host, limitMs: number): Promise<readonly Address[]> {
    const name = host.replace(/^\[|\]$/g, '');
    if (isIP(name) !== 0) return [{ name, host: name, port }];
    await new Limit(this.#clock, limitMs).over(this.#look(name));
    return (this.#known.get(name) ?? []).map((address) => ({ name, host: address, port }));
  }

  async #look(name: string): Promise<void> {
    try {
      const all = await lookup(name, { all: true });
      this.#known.set(name, [...new Set(all.map(({ address }) => address))]);
    } catch {
      // What was known before is still the best guess.
    }
  }
}
