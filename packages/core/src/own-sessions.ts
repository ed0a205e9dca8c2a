import type { Session } from './spi/session.js';

// What a session left in the store is gone at its timeout: far fewer of them can matter at one time.
const most = 100;

/** The sessions that this coordinator had: what an earlier one left in the store is nobody else's. */
export class OwnSessions {
  readonly #ids = new Set<string>();

  constructor(session: Session) {
    session.observe(({ id }) => {
      if (id !== null) this.#add(id);
    });
  }

  /** Whether it is or was a session of this coordinator; of the latest hundred. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  #add(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > most && oldest !== undefined) this.#ids.delete(oldest);
  }
}
