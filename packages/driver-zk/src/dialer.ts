import { CoordinationError, type OpenOptions } from '@concordat/core/spi';
import { Addresses } from './addresses.js';
import type {
  Address,
  AttemptFailure,
  AttemptResult,
  Connection,
  Identity,
  Resumption,
  Transport,
} from './connection.js';
import { Limit } from './limit.js';
import { Retreat } from './retreat.js';

/** What came of dialling; `startedAt` is when the attempt began that succeeded. */
export type Dialled =
  | { readonly ok: true; readonly connection: Connection; readonly startedAt: number }
  | {
      readonly ok: false;
      readonly failure: AttemptFailure;
      readonly error: CoordinationError;
      /** What the server that said so adds to it, or an empty text. */
      readonly detail: string;
    };

const reasons: Readonly<Record<AttemptFailure, string>> = {
  unreachable: 'no connection, or it was closed before the session was granted',
  silent: 'no answer to the handshake',
  'not-zookeeper': 'whoever answers there is not ZooKeeper: is this the right port?',
  'not-tls': 'it does not speak TLS there: is this the port for connections in the clear?',
  untrusted: 'its certificate is not trusted',
  unauthenticated: 'it refused this client',
  'read-only': 'it has no quorum, and takes no writes',
  behind: 'it lags behind what this session saw, or the store was restored from an older state',
  expired: 'the server ended the session',
  aborted: 'given up',
};

/** Failures that say something of all servers; the others are of this one. */
const general: ReadonlySet<AttemptFailure> = new Set<AttemptFailure>(['expired', 'aborted']);
/** Failures that somebody has to mend: a server that does not prove who it is, or does not believe who we are. */
const refusals: ReadonlySet<AttemptFailure> = new Set<AttemptFailure>(['not-tls', 'untrusted', 'unauthenticated']);
/** What is worth most to the reader, where each server failed in its own way: the last of these. */
const telling: readonly AttemptFailure[] = ['behind', 'not-zookeeper', 'not-tls', 'untrusted', 'unauthenticated'];

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
  async end(identity: Identity, signal: AbortSignal): Promise<void> {
    const retreat = new Retreat(this.#options.clock, signal);
    while (!signal.aborted && !(await this.#end(identity, signal))) await retreat.wait();
  }

  async #dial(resume: Resumption | null, signal: AbortSignal): Promise<Dialled> {
    const addresses = await this.#addresses.shuffled(this.#limitMs);
    let last: { readonly failure: AttemptFailure; readonly message: string } | null = null;
    const open = new Set(addresses.map(nameOf));
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
      const { failure } = result;
      if (general.has(failure)) return { ...failed(failure, describe(address, result)), detail: result.detail ?? '' };
      if (refusals.has(failure)) open.delete(nameOf(address));
      if (last === null || telling.indexOf(failure) >= telling.indexOf(last.failure))
        last = { failure, message: describe(address, result) };
    }
    if (signal.aborted) return failed('aborted', reasons.aborted);
    if (last === null) return failed('unreachable', 'no address is known for any of the hosts');
    // As long as one of the hosts did not refuse, that one may come and let us in.
    return failed(last.failure, last.message, open.size === 0 ? 'UNAUTHENTICATED' : 'UNAVAILABLE');
  }

  async #end(identity: Identity, signal: AbortSignal): Promise<boolean> {
    for (const address of await this.#addresses.shuffled(this.#limitMs)) {
      if (await this.#within(signal, (limited) => this.#transport.endSession(address, identity, limited))) return true;
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

function nameOf({ name, port }: Address): string {
  return `${name}:${String(port)}`;
}

function describe(address: Address, { failure, detail }: Extract<AttemptResult, { ok: false }>): string {
  return `${nameOf(address)}: ${reasons[failure]}${detail === undefined ? '' : ` (${detail})`}`;
}

function failed(
  failure: AttemptFailure,
  message: string,
  code: 'UNAUTHENTICATED' | 'UNAVAILABLE' = 'UNAVAILABLE',
): Extract<Dialled, { ok: false }> {
  return { ok: false, failure, error: new CoordinationError(code, `ZooKeeper at ${message}`), detail: '' };
}
