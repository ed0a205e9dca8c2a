import type { CoordinationError, OpenOptions } from '@concordat/core/spi';
import { Addresses } from './addresses.js';
import type { Resumption, Standing, Transport } from './connection.js';
import { Limit } from './limit.js';
import { Retreat } from './retreat.js';
import { type Dialled, givenUp, Round } from './round.js';

/** Reaches a server for a session: round after round, over every address of every host, each within its own limit. */
export class Dialer {
  readonly #options: OpenOptions;
  readonly #transport: Transport;
  readonly #addresses: Addresses;

  constructor(options: OpenOptions, transport: Transport) {
    this.#options = options;
    this.#transport = transport;
    this.#addresses = new Addresses(options.hosts, options.clock);
  }

  /**
   * Dials until there is a connection, the session to be resumed is over (`expired`) or `signal` is aborted; at once, then with
   * growing pauses. Never rejects; a connection that comes after the abort is severed.
   */
  async reach(
    resume: Resumption | null,
    signal: AbortSignal,
    tell: (error: CoordinationError) => void,
  ): Promise<Dialled> {
    const retreat = new Retreat(this.#options.clock, signal);
    for (;;) {
      const dialled = await this.#dial(resume, signal);
      if (dialled.ok || dialled.failure === 'expired' || dialled.failure === 'aborted') return dialled;
      tell(dialled.error);
      await retreat.wait();
    }
  }

  /** Ends a session on the server, best effort, until `signal` is aborted. */
  async end(standing: Standing, signal: AbortSignal): Promise<void> {
    const retreat = new Retreat(this.#options.clock, signal);
    while (!signal.aborted && !(await this.#end(standing, signal))) await retreat.wait();
  }

  async #dial(resume: Resumption | null, signal: AbortSignal): Promise<Dialled> {
    const addresses = await this.#addresses.shuffled(this.#limitMs);
    const round = new Round(addresses);
    for (const address of addresses) {
      const startedAt = this.#options.clock.now();
      const { sessionTimeoutMs } = this.#options;
      const attempt = { address, sessionTimeoutMs, limitMs: this.#limitMs, resume, signal };
      const result = await this.#transport.connect(attempt);
      if (result.ok) {
        if (!signal.aborted) return { ok: true, connection: result.connection, startedAt };
        result.connection.sever();
        break;
      }
      const final = round.failed(address, result);
      if (final !== null) return final;
    }
    return signal.aborted ? givenUp() : round.failure;
  }

  // Before anybody else those that are not behind: to one that is, the session may be over already, or not begun.
  async #end({ identity, seen }: Standing, signal: AbortSignal): Promise<boolean> {
    const addresses = await this.#addresses.shuffled(this.#limitMs);
    for (const told of new Set([seen, 0n])) {
      for (const address of addresses) {
        const end = (limited: AbortSignal): Promise<boolean> =>
          this.#transport.endSession(address, { identity, seen: told }, limited);
        if (await this.#within(signal, end)) return true;
      }
    }
    return false;
  }

  async #within<Value>(signal: AbortSignal, ask: (limited: AbortSignal) => Promise<Value>): Promise<Value> {
    const limit = new Limit(this.#options.clock, this.#limitMs);
    const answer = await ask(AbortSignal.any([limit.signal, signal]));
    limit.cancel();
    return answer;
  }

  // Well below the C client's own limit of 2/3 of the session timeout, after which it would close the socket by itself.
  get #limitMs(): number {
    return Math.min(1500, Math.floor(this.#options.sessionTimeoutMs / 4));
  }
}
