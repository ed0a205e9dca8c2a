import { CoordinationError } from './errors.js';
import type { WaitOptions } from './limits.js';
import { checkPath } from './names.js';
import type { CoordinatorOptions } from './options.js';
import { type Clock, systemClock } from './spi/clock.js';
import type { Host } from './spi/driver.js';
import { Tls } from './spi/tls.js';
import { parseHost, unknownOption } from './url.js';

/** Validated options with every default filled in. */
export interface Settings {
  readonly hosts: readonly Host[];
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly credentials: { readonly username: string; readonly password: string } | null;
  readonly tls: Tls | null;
  readonly clock: Clock;
  readonly storeName: string;
  readonly extra: Readonly<Record<string, string>>;
}

const known: Readonly<Record<keyof CoordinatorOptions, true>> = {
  hosts: true,
  namespace: true,
  sessionTimeoutMs: true,
  allowShortSession: true,
  requestTimeoutMs: true,
  credentials: true,
  secure: true,
  tls: true,
  storeName: true,
  clock: true,
  driverOptions: true,
};

const defaultSessionMs = 12_000;
const safeSessionMs = 6_000;
const shortestSessionMs = 1_000;
const longestSessionMs = 600_000;
const longestRequestMs = 5_000;

/** Refuses what is wrong before anything is opened, and fills in the defaults. */
export function settle(options: CoordinatorOptions): Settings {
  checkNames(options, Object.keys(known));
  const hosts = (options.hosts ?? []).map((host) =>
    typeof host === 'string' ? parseHost(host, null) : checkHost(host),
  );
  if (hosts.length === 0 && options.storeName === undefined) throw invalid('hosts must name at least one server');
  const sessionTimeoutMs = sessionTimeout(options);
  const longest = Math.min(longestRequestMs, sessionTimeoutMs / 3);
  const requestTimeoutMs = options.requestTimeoutMs ?? longest;
  if (!Number.isFinite(requestTimeoutMs) || requestTimeoutMs < 50)
    throw invalid('requestTimeoutMs must be a number of at least 50');
  return {
    hosts,
    namespace: checkPath(options.namespace ?? 'concordat', 'namespace'),
    sessionTimeoutMs,
    requestTimeoutMs: Math.min(requestTimeoutMs, longest),
    credentials: options.credentials ?? null,
    tls: transportSecurity(options),
    clock: options.clock ?? systemClock,
    storeName: options.storeName ?? '',
    extra: options.driverOptions ?? {},
  };
}

function sessionTimeout(options: CoordinatorOptions): number {
  const { sessionTimeoutMs: timeout = defaultSessionMs, allowShortSession = false } = options;
  const shortest = allowShortSession ? shortestSessionMs : safeSessionMs;
  if (!Number.isInteger(timeout) || timeout < shortest || timeout > longestSessionMs) {
    const hint = allowShortSession ? '' : '; under 6,000 only with allowShortSession';
    throw invalid(`sessionTimeoutMs must be a whole number from ${shortest.toLocaleString('en-US')} to 600,000${hint}`);
  }
  return timeout;
}

// Whoever names an authority or a key wants TLS; that it is not used must not go unnoticed.
function transportSecurity({ secure = false, tls, ...options }: CoordinatorOptions): Tls | null {
  if (secure || tls === undefined) return secure ? new Tls(tls ?? {}) : null;
  throw invalid(
    `tls options need ${options.storeName === undefined ? 'secure: true, or the TLS form of the scheme' : 'a store with servers'}`,
  );
}

function checkHost(host: Host): Host {
  if (typeof host.host !== 'string' || host.host === '') throw invalid('a host needs a name or an address');
  if (!Number.isInteger(host.port) || host.port < 1 || host.port > 65_535)
    throw invalid(`host ${host.host} needs a port from 1 to 65535`);
  return { host: host.host, port: host.port };
}

function checkNames(options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) if (!names.includes(name)) throw unknownOption(name, names);
}

/**
 * Refuses an option nobody knows, which would be a wait without its limit, a signal that could not abort, and a limit that is no number of
 * milliseconds.
 */
export function checkWait(options: WaitOptions, more: readonly string[] = []): void {
  if (typeof options !== 'object' || (options as unknown) === null) throw invalid('options must be an object');
  checkNames(options, ['signal', 'timeoutMs', ...more]);
  const { signal, timeoutMs } = options;
  if (signal !== undefined && !isSignal(signal)) throw invalid('signal must be an AbortSignal');
  if (timeoutMs === undefined) return;
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 0 && timeoutMs <= 2_147_483_647))
    throw invalid('timeoutMs must be a number from 0 to 2,147,483,647');
}

// By what is used of it: there are others than the one of this realm.
function isSignal(signal: unknown): boolean {
  if (typeof signal !== 'object' || signal === null) return false;
  const { aborted, addEventListener } = signal as Partial<AbortSignal>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
