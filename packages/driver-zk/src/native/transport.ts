import { isIPv6 } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { CoordinationError } from '@concordat/core/spi';
import type {
  Address,
  Attempt,
  AttemptFailure,
  AttemptResult,
  Resumption,
  Standing,
  Transport,
} from '../connection.js';
import type { Security } from '../security.js';
import type { TrafficCount } from '../traffic.js';
import { endSession } from '../wire/session-end.js';
import { refusalOf } from '../wire/standing.js';
import { NativeConnection } from './connection.js';
import { closeCode, type NativeHandle, nativeState } from './handle.js';
import { Hop } from './hop.js';

type Client = new () => { readonly native: NativeHandle };

const checkEveryMs = 10;
// A server may grant more than was asked for, but an HTTP peer "grants" 150 hours: its answer read as a handshake.
const longestSessionMs = 3_600_000;
// On this machine, and never connected to: the handle is closed in the same call. Two of them, so that one always differs from the server's.
const elsewhere = { v4: ['127.255.255.254:1', '127.255.255.253:1'], v6: ['::1:1', '::2:1'] } as const;

/**
 * Loads npm `zookeeper`, the native client.
 *
 * @throws {CoordinationError} `DRIVER_UNAVAILABLE` with the remedy.
 */
export async function loadNativeTransport(security: Security, traffic: TrafficCount): Promise<Transport> {
  // The addon serves one thread: with two, one never connects, and the process crashes when the other one exits.
  if (!isMainThread)
    throw unavailable('it cannot be used in a worker thread: use `transport=wire`, or a child process');
  try {
    const loaded: { readonly default: unknown } = await import('zookeeper');
    return new NativeTransport(loaded.default as Client, security, traffic);
  } catch (cause) {
    // npm takes an optional dependency away again when it does not compile, without a word.
    const command = isAbsent(cause) ? 'npm install zookeeper@7.3.0' : 'npm rebuild zookeeper';
    throw unavailable(
      `npm \`zookeeper\` could not be loaded; \`transport=wire\` does without. It is compiled at installation, for one version of Node.js: install a C++ compiler, make and python3, then run \`${command}\``,
      cause,
    );
  }
}

function isAbsent(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
}

function unavailable(remedy: string, cause?: unknown): CoordinationError {
  return new CoordinationError('DRIVER_UNAVAILABLE', `the ZooKeeper client: ${remedy}`, { cause });
}

/**
 * One native handle per attempt, to one numeric address: with several the C client spends a whole session timeout on a dead one,
 * and with a name it blocks the process for a DNS query at each packet.
 */
class NativeTransport implements Transport {
  readonly #client: Client;
  readonly #traffic: TrafficCount;
  readonly #security: Security;
  readonly #hop = new Hop();

  constructor(client: Client, security: Security, traffic: TrafficCount) {
    this.#client = client;
    this.#security = security;
    this.#traffic = traffic;
  }

  async connect(attempt: Attempt): Promise<AttemptResult> {
    const endsAt = performance.now() + attempt.limitMs;
    const refused = attempt.resume === null ? null : await refusalOfResumption(attempt, attempt.resume);
    if (refused !== null) return refused;
    const result = await this.#connect({ ...attempt, limitMs: endsAt - performance.now() });
    // It ended in between, or was never ZooKeeper: the C client takes any session but its own in an answer for an expiry. The next attempt tells.
    return !result.ok && result.failure === 'expired' ? { ok: false, failure: 'unreachable' } : result;
  }

  endSession(address: Address, standing: Standing, signal: AbortSignal): Promise<boolean> {
    return endSession({ address, tls: null }, standing, this.#security, signal);
  }

  #connect(attempt: Attempt): Promise<AttemptResult> {
    return new Promise((resolve) => {
      if (attempt.signal.aborted) return resolve({ ok: false, failure: 'aborted' });
      const handle = new this.#client().native;
      const settle = (result: AttemptResult): void => {
        clearTimeout(limit);
        clearInterval(check);
        attempt.signal.removeEventListener('abort', abort);
        this.#hop.push(() => resolve(result));
      };
      let over = false;
      const fail = (failure: AttemptFailure): void => {
        if (over) return;
        over = true;
        const strange = handle.timeout > longestSessionMs;
        handle.close();
        settle({ ok: false, failure: strange ? 'not-zookeeper' : failure });
      };
      const accept = (): void => {
        over = true;
        const { host } = attempt.address;
        const connection = new NativeConnection({
          handle,
          elsewhere: awayFrom(host),
          hop: this.#hop,
          traffic: this.#traffic,
          seen: attempt.resume?.seen ?? 0n,
        });
        settle(accepted(connection, attempt));
      };
      const abort = (): void => fail('aborted');
      const limit = setTimeout(() => fail('silent'), attempt.limitMs);
      // A refused connection is told by nothing but the state, and some of its failures start no timer.
      const check = setInterval(() => {
        if (isDown(handle)) fail('unreachable');
      }, checkEveryMs);
      attempt.signal.addEventListener('abort', abort);
      handle.emit = (event, _native, argument) => {
        if (event === 'connect') accept();
        else if (event === 'connecting') fail('unreachable');
        else if (event === 'close') fail(failureOfClose(argument));
      };
      if (!start(handle, attempt) || isDown(handle)) fail('unreachable');
    });
  }
}

/**
 * Asked on the wire first: a handle of the C client tells the server that it saw nothing, and would be attached to one that lags behind, and
 * to a store that was restored.
 */
async function refusalOfResumption(
  { address, sessionTimeoutMs, limitMs, signal }: Attempt,
  resume: Resumption,
): Promise<AttemptResult | null> {
  const limit = AbortSignal.timeout(Math.ceil(limitMs));
  const refused = await refusalOf({ address, tls: null }, resume, sessionTimeoutMs, AbortSignal.any([signal, limit]));
  if (refused === null) return null;
  if (signal.aborted) return { ok: false, failure: 'aborted' };
  return limit.aborted ? { ok: false, failure: 'silent' } : refused;
}

function start(handle: NativeHandle, { address, sessionTimeoutMs, resume }: Attempt): boolean {
  const started = handle.init({
    connect: `${address.host}:${String(address.port)}`,
    timeout: sessionTimeoutMs,
    debug_level: 0,
    host_order_deterministic: false,
    // By default ten partial reads in a row end the session: a reply of 1 MB is enough (node-zookeeper#172).
    response_counter_limit: 2_147_483_647,
    ...(resume === null ? {} : { client_id: resume.identity.id, client_password: resume.identity.password }),
  });
  return !(started instanceof Error);
}

function accepted(connection: NativeConnection, { resume }: Attempt): AttemptResult {
  const { timeoutMs, identity } = connection;
  if (timeoutMs <= 0 || timeoutMs > longestSessionMs) {
    setImmediate(() => connection.sever());
    return { ok: false, failure: 'not-zookeeper' };
  }
  // A server that hands out a new session in place of the old one says nothing about it (ClickHouse#116690).
  if (resume !== null && resume.identity.id !== identity.id) {
    setImmediate(() => connection.sever());
    return { ok: false, failure: 'expired' };
  }
  return { ok: true, connection };
}

function isDown(handle: NativeHandle): boolean {
  return handle.state === nativeState.down || handle.state === nativeState.severed;
}

function failureOfClose(code: unknown): AttemptFailure {
  if (code === closeCode.expired) return 'expired';
  return code === closeCode.authFailed ? 'unauthenticated' : 'unreachable';
}

function awayFrom(host: string): string {
  const [first, second] = isIPv6(host) ? elsewhere.v6 : elsewhere.v4;
  return first.startsWith(`${host}:`) ? second : first;
}
