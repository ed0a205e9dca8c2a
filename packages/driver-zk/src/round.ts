import { CoordinationError } from '@concordat/core/spi';
import type { Address, AttemptFailure, AttemptResult, Connection } from './connection.js';

/** What came of dialling; `startedAt` is when the attempt began that succeeded. */
export type Dialled = { readonly ok: true; readonly connection: Connection; readonly startedAt: number } | NotDialled;

interface NotDialled {
  readonly ok: false;
  readonly failure: AttemptFailure;
  readonly error: CoordinationError;
  /** What the server that said so adds to it, or an empty text. */
  readonly detail: string;
}

type Failed = Extract<AttemptResult, { ok: false }>;

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

// Of sockets: nobody is there, or nobody can be there as seen from this machine.
const notListening: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EAFNOSUPPORT']);

/** What the servers that were asked one after the other say together. */
export class Round {
  /** Hosts of which nobody refused us. */
  readonly #open: Set<string>;
  /** Addresses where a session may be known that others do not know, which are behind what it saw. */
  readonly #mayKnow: Set<Address>;
  #last: { readonly failure: AttemptFailure; readonly message: string } | null = null;
  #over: NotDialled | null = null;

  constructor(addresses: readonly Address[]) {
    this.#open = new Set(addresses.map(nameOf));
    this.#mayKnow = new Set(addresses);
  }

  /** Notes a failure; answers what came of the round when that goes for all servers. */
  failed(address: Address, result: Failed): NotDialled | null {
    const { failure, detail } = result;
    const isBehind = failure === 'expired' && detail !== undefined;
    const message = describe(address, result);
    if (isBehind) this.#over = { ...notDialled(failure, message), detail };
    if (isBehind || notListening.has(detail ?? '')) this.#mayKnow.delete(address);
    if (general.has(failure) && !isBehind) return notDialled(failure, message);
    if (refusals.has(failure)) this.#open.delete(nameOf(address));
    this.#note(isBehind ? 'behind' : failure, message);
    return null;
  }

  /** What came of it when nobody let us in. */
  get failure(): NotDialled {
    // A store that was restored or wiped is behind everywhere.
    if (this.#over !== null && this.#mayKnow.size === 0) return this.#over;
    if (this.#last === null) return notDialled('unreachable', 'no address is known for any of the hosts');
    // As long as one of the hosts did not refuse, that one may come and let us in.
    const code = this.#open.size === 0 ? 'UNAUTHENTICATED' : 'UNAVAILABLE';
    return notDialled(this.#last.failure, this.#last.message, code);
  }

  #note(failure: AttemptFailure, message: string): void {
    if (this.#last === null || telling.indexOf(failure) >= telling.indexOf(this.#last.failure))
      this.#last = { failure, message };
  }
}

/** What came of a round that was given up. */
export function givenUp(): NotDialled {
  return notDialled('aborted', reasons.aborted);
}

function nameOf({ name, port }: Address): string {
  return `${name}:${String(port)}`;
}

function describe(address: Address, { failure, detail }: Failed): string {
  return `${nameOf(address)}: ${reasons[failure]}${detail === undefined ? '' : ` (${detail})`}`;
}

function notDialled(
  failure: AttemptFailure,
  message: string,
  code: 'UNAUTHENTICATED' | 'UNAVAILABLE' = 'UNAVAILABLE',
): NotDialled {
  return { ok: false, failure, error: new CoordinationError(code, `ZooKeeper at ${message}`), detail: '' };
}
