import type { OpenOptions, Tls } from '@concordat/core/spi';
import type { Address, Attempt, AttemptResult, NodeEvent, Standing, Transport } from '../connection.js';
import type { Security } from '../security.js';
import type { TrafficCount } from '../traffic.js';
import { authenticate } from './authenticate.js';
import { WireConnection } from './connection.js';
import { type DialFailure, dial } from './dial.js';
import { isOfOtherKind } from './other-kind.js';
import { endSession } from './session-end.js';
import { whyRefused } from './standing.js';

const closedByPeer: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** ZooKeeper's protocol over sockets of Node.js: one connection per attempt, to one numeric address. */
export class WireTransport implements Transport {
  readonly #tls: Tls | null;
  readonly #security: Security;
  readonly #traffic: TrafficCount;
  #wasWelcome = false;

  constructor({ tls }: Pick<OpenOptions, 'tls'>, security: Security, traffic: TrafficCount) {
    this.#tls = tls;
    this.#security = security;
    this.#traffic = traffic;
  }

  async connect(attempt: Attempt): Promise<AttemptResult> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), attempt.limitMs);
    const abort = (): void => limit.abort();
    attempt.signal.addEventListener('abort', abort);
    if (attempt.signal.aborted) abort();
    const result = await this.#connect(attempt, limit.signal);
    clearTimeout(timer);
    attempt.signal.removeEventListener('abort', abort);
    if (attempt.signal.aborted) {
      if (result.ok) result.connection.sever();
      return { ok: false, failure: 'aborted' };
    }
    return !result.ok && limit.signal.aborted ? { ok: false, failure: 'silent' } : result;
  }

  endSession(address: Address, standing: Standing, signal: AbortSignal): Promise<boolean> {
    return endSession({ address, tls: this.#tls }, standing, this.#security, signal);
  }

  async #connect(attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    const { address, sessionTimeoutMs: timeoutMs, resume } = attempt;
    let tell: (event: NodeEvent) => void = () => undefined;
    const greeting = { identity: resume?.identity ?? null, seen: resume?.seen ?? 0n, timeoutMs };
    const dialled = await dial({ address, tls: this.#tls }, greeting, signal, (event) => tell(event));
    if (!dialled.ok) return this.#reasonOf(dialled, attempt, signal);
    this.#wasWelcome = true;
    const { channel, welcome } = dialled;
    const abort = (): void => channel.destroy();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    const authentication = await authenticate(channel, this.#security);
    signal.removeEventListener('abort', abort);
    if (authentication !== 'accepted') {
      channel.destroy();
      return authentication === 'refused'
        ? { ok: false, failure: 'unauthenticated', detail: 'its credentials' }
        : { ok: false, failure: 'unreachable' };
    }
    const { acl } = this.#security;
    const connection = new WireConnection({ channel, welcome, resumption: resume, acl, traffic: this.#traffic });
    tell = (event) => connection.told(event);
    return { ok: true, connection };
  }

  async #reasonOf(dialled: DialFailure, attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    const { address, resume, sessionTimeoutMs } = attempt;
    if (resume !== null) return whyRefused(dialled, { address, tls: this.#tls }, resume, sessionTimeoutMs, signal);
    return dialled.failure === 'unreachable' ? this.#reasonOfFirst(dialled, attempt, signal) : dialled;
  }

  // A server that is asked in TLS and does not speak it closes the connection without a word, and the reverse. Once anybody was of the right
  // kind that is no mistake of the options, and passes.
  async #reasonOfFirst(dialled: DialFailure, { address }: Attempt, signal: AbortSignal): Promise<AttemptResult> {
    const wasClosed = dialled.detail === undefined || closedByPeer.has(dialled.detail);
    if (this.#wasWelcome || !wasClosed || !(await isOfOtherKind({ address, tls: this.#tls }, signal))) return dialled;
    if (this.#tls !== null) return { ok: false, failure: 'not-tls' };
    return { ok: false, failure: 'unauthenticated', detail: 'it wants TLS: zookeepers:// is probably meant' };
  }
}
