import { CoordinationError, type OpenOptions } from '@concordat/core/spi';
import { Addresses } from './addresses.js';
import type { Address, AttemptFailure, Connection, Identity, Transport } from './connection.js';
import { Limit } from './limit.js';
import { Retreat } from './retreat.js';
import { endSession, isSessionOver } from './session-end.js';

/** What came of dialling; `startedAt` is when the attempt began that succeeded. */
export type Dialled =
  | { readonly ok: true; readonly connection: Connection; readonly startedAt: number }
  | { readonly ok: false; readonly failure: AttemptFailure; readonly error: CoordinationError };

const reasons: Readonly<Record<AttemptFailure, string>> = {
  unreachable: 'no connection, or it was closed before the session was granted',
  silent: 'no answer to the handshake',
  'not-zookeeper': 'whoever answers there is not ZooKeeper: is this the right port?',
  unauthenticated: 'the server refused these credentials',
  expired: 'the server ended the session',
  aborted: 'given up',
};

/** Failures of one server that say nothing of the others. */
const passing: ReadonlySet<AttemptFailure> = new Set<AttemptFailure>(['unreachable', 'silent', 'not-zookeeper']);

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
    resume: Identity | null,
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
  async end(identity: Identity, signal: AbortSignal): Promise<void> {
    const retreat = new Retreat(this.#options.clock, signal);
    while (!signal.aborted && !(await this.#end(identity, signal))) await retreat.wait();
  }

  async #dial(resume: Identity | null, signal: AbortSignal): Promise<Dialled> {
    let last: Dialled = failed('unreachable', 'no address is known for any of the hosts');
    for (const address of await this.#addresses.shuffled(this.#limitMs)) {
      const startedAt = this.#options.clock.now();
      const { sessionTimeoutMs, credentials } = this.#options;
      const attempt = { address, sessionTimeoutMs, limitMs: this.#limitMs, resume, credentials, signal };
      const result = await this.#transport.connect(attempt);
      if (result.ok) {
        if (!signal.aborted) return { ok: true, connection: result.connection, startedAt };
        result.connection.sever();
        break;
      }
      const reason = await this.#reasonOf(result.failure, address, resume, signal);
      const failure = failed(reason, `${address.host}:${String(address.port)}: ${reasons[reason]}`);
      if (!passing.has(reason)) return failure;
      // A wrong port is worth more to the reader than a dead neighbour.
      if (last.failure !== 'not-zookeeper') last = failure;
    }
    return signal.aborted ? failed('aborted', reasons.aborted) : last;
  }

  // The C client takes any session but its own in an answer, also in one that is not ZooKeeper's, for an expiry.
  async #reasonOf(
    failure: AttemptFailure,
    address: Address,
    resume: Identity | null,
    signal: AbortSignal,
  ): Promise<AttemptFailure> {
    if (failure !== 'expired' || resume === null) return failure;
    const { sessionTimeoutMs } = this.#options;
    const over = await this.#within(signal, (limited) => isSessionOver(address, resume, sessionTimeoutMs, limited));
    return over ? 'expired' : 'not-zookeeper';
  }

  async #end(identity: Identity, signal: AbortSignal): Promise<boolean> {
    for (const address of await this.#addresses.shuffled(this.#limitMs)) {
      if (await this.#within(signal, (limited) => endSession(address, identity, limited))) return true;
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
    return Math.min(1500, this.#options.sessionTimeoutMs / 4);
  }
}

function failed(failure: AttemptFailure, message: string): Extract<Dialled, { ok: false }> {
  const code = failure === 'unauthenticated' ? 'UNAUTHENTICATED' : 'UNAVAILABLE';
  return { ok: false, failure, error: new CoordinationError(code, `ZooKeeper at ${message}`) };
}
