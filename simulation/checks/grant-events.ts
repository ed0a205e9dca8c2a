import type { CoordinationEvent } from '@concordat/core';
import type { Client } from '../world/client.js';

/** What a client's events say of its grants: each one that was acquired is over exactly once. */
export class GrantEvents {
  readonly #client: Client;
  readonly #held = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
    client.coordinator.events$.subscribe((event) => this.#heard(event));
  }

  /** The client is closed. */
  closed(): void {
    if (this.#held.size > 0) this.#client.report('grant-without-end', [...this.#held].join(', '));
  }

  #heard(event: CoordinationEvent): void {
    this.#client.note(`event ${event.type}`);
    if (event.type === 'acquired') this.#held.add(event.entry);
    const isEnd = event.type === 'grant-lost' || (event.type === 'released' && event.heldMs !== null);
    if (isEnd && !this.#held.delete(event.entry)) this.#client.report('grant-ended-twice', event.entry);
  }
}
