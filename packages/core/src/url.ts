import { parseDuration } from './duration.js';
import { CoordinationError } from './errors.js';
import { nearest } from './nearest.js';
import type { CoordinatorOptions } from './options.js';
import type { Host } from './spi/driver.js';

/** What a coordinator's URL says. */
export interface ParsedUrl {
  /** Without the colon, as written. */
  readonly scheme: string;
  /** What the URL says, as options of a coordinator. */
  readonly options: CoordinatorOptions;
}

/** What a scheme needs to be read. */
export interface UrlScheme {
  /** Port of a host that names none; `null` for a scheme without hosts, such as `memory:name`. */
  readonly defaultPort: number | null;
  /** True where the scheme stands for TLS. */
  readonly secure: boolean;
  /** Names of options that only this scheme's driver has. */
  readonly options: readonly string[];
}

type Readers = Readonly<Record<string, (text: string, name: string) => Partial<CoordinatorOptions>>>;

const readers: Readers = {
  sessionTimeout: (text, name) => ({ sessionTimeoutMs: parseDuration(text, name) }),
  requestTimeout: (text, name) => ({ requestTimeoutMs: parseDuration(text, name) }),
  allowShortSession: (text, name) => ({ allowShortSession: parseFlag(text, name) }),
  ca: (text) => ({ tls: { ca: text } }),
  cert: (text) => ({ tls: { cert: text } }),
  key: (text) => ({ tls: { key: text } }),
  serverName: (text) => ({ tls: { serverName: text } }),
};

/**
 * Reads `scheme://[user:password@]host[:port],host[:port]/namespace?option=value`, or `scheme:name` for a scheme without hosts.
 *
 * The same options everywhere: `sessionTimeout`, `requestTimeout` (durations such as `12s`), `allowShortSession` (`true` or
 * `false`), for a scheme with TLS `ca`, `cert`, `key` (paths of PEM files) and `serverName`, and what the driver adds. User, password and
 * namespace may be percent-encoded.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`; the message never holds the password.
 */
export function parseUrl(url: string, schemes: Readonly<Record<string, UrlScheme>>): ParsedUrl {
  const match = typeof url === 'string' ? /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) : null;
  const name = match?.[1]?.toLowerCase() ?? '';
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  const known = Object.keys(schemes).join(', ');
  if (typeof url !== 'string') throw invalid('the URL of a coordinator must be a string');
  if (match === null) throw invalid(`a coordinator's URL starts with one of: ${known}`);
  if (scheme === undefined) throw invalid(`unknown scheme "${name}"; known are ${known}`);
  // Part of a password would be taken for something else, and messages may name that.
  if (/^\/\/[^@]*[/?#].*@/s.test(match[2] ?? ''))
    throw invalid('write an @ that is not behind user and password, and a /, ? or # in these, percent-encoded');
  const { body, query } = split(match[2] ?? '');
  const options = { ...readQuery(query, scheme), ...(scheme.secure ? { secure: true } : {}) };
  if (scheme.defaultPort === null) return { scheme: name, options: { ...options, storeName: decode(body) } };
  if (!body.startsWith('//')) throw invalid(`the URL of ${name} starts with ${name}://`);
  return { scheme: name, options: { ...options, ...readAuthority(body.slice(2), scheme.defaultPort) } };
}

/** The URL without its user and password, for messages. */
export function redactUrl(url: string): string {
  return url.replace(/\/\/.*@/s, '//***@');
}

function split(rest: string): { body: string; query: string } {
  if (rest.includes('#')) throw invalid('a coordinator URL has no fragment');
  const at = rest.indexOf('?');
  return at < 0 ? { body: rest, query: '' } : { body: rest.slice(0, at), query: rest.slice(at + 1) };
}

function readAuthority(text: string, defaultPort: number): Partial<CoordinatorOptions> {
  const slash = text.indexOf('/');
  const authority = slash < 0 ? text : text.slice(0, slash);
  const namespace = slash < 0 ? '' : decode(text.slice(slash + 1).replace(/\/$/, ''));
  const at = authority.lastIndexOf('@');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map((host) => parseHost(host, defaultPort));
  return {
    hosts,
    ...(namespace === '' ? {} : { namespace }),
    ...(at < 0 ? {} : { credentials: readCredentials(authority.slice(0, at)) }),
  };
}

function readCredentials(text: string): { username: string; password: string } {
  const colon = text.indexOf(':');
  if (colon < 1) throw invalid('credentials in a URL are user:password');
  return { username: decode(text.slice(0, colon)), password: decode(text.slice(colon + 1)) };
}

/**
 * One `host`, `host:port` or `[address]:port`.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`
 */
export function parseHost(text: string, defaultPort: number | null): Host {
  const match = /^(?:\[([0-9a-f:.%]+)\]|([^\s:[\]@/]+))(?::(\d+))?$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined) throw invalid('a host is written host:port or [address]:port');
  const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
  if (port === null || port < 1 || port > 65_535) throw invalid(`host ${host} needs a port from 1 to 65535`);
  return { host, port };
}

function readQuery(query: string, scheme: UrlScheme): CoordinatorOptions {
  let options: CoordinatorOptions = {};
  const seen = new Set<string>();
  for (const part of query === '' ? [] : query.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    if (seen.has(name)) throw invalid(`option "${name}" is given twice`);
    seen.add(name);
    if (Object.hasOwn(readers, name)) options = joined(options, readers[name]?.(value, name) ?? {});
    else if (scheme.options.includes(name))
      options = { ...options, driverOptions: { ...options.driverOptions, [name]: value } };
    else throw unknownOption(name, [...Object.keys(readers), ...scheme.options]);
  }
  return options;
}

function joined(options: CoordinatorOptions, more: Partial<CoordinatorOptions>): CoordinatorOptions {
  return { ...options, ...more, ...(more.tls === undefined ? {} : { tls: { ...options.tls, ...more.tls } }) };
}

/** The error for an option nobody knows, naming the one that was probably meant. */
export function unknownOption(name: string, known: readonly string[]): CoordinationError {
  const meant = nearest(name, known);
  return invalid(`unknown option "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`);
}

function parseFlag(text: string, name: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalid(`${name} must be true or false`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a URL part is not percent-encoded correctly');
  }
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
