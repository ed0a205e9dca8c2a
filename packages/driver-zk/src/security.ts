import { CoordinationError, type OpenOptions } from '@concordat/core/spi';
import type { Permission } from './wire/records.js';

/** Who to be. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How to prove who one is, and who may touch what is created. */
export interface Security {
  readonly credentials: Credentials | null;
  /** `digest`: ZooKeeper's own scheme, which tells the server the password; `sasl`: DIGEST-MD5, which does not. */
  readonly scheme: 'digest' | 'sasl';
  readonly acl: readonly Permission[];
}

const letters = { r: 1, w: 2, c: 4, d: 8, a: 16 } as const;
const everything = 31;
// Distinguished names, the ids of scheme x509, have commas too.
const betweenLines = /(?<=:[rwcda]+),(?=[a-z0-9]+:)/;
const open: readonly Permission[] = [{ scheme: 'world', id: 'anyone', allowed: everything }];
// Stands for everybody who is authenticated on the connection (PrepRequestProcessor.fixupACL).
const creator: readonly Permission[] = [{ scheme: 'auth', id: '', allowed: everything }];

/**
 * Reads the options `auth` and `acl`.
 *
 * Whoever has credentials keeps what he creates to himself unless `acl` says otherwise; without, it is open to everybody.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`
 */
export function readSecurity({ credentials, extra }: Pick<OpenOptions, 'credentials' | 'extra'>): Security {
  const { auth: scheme = 'digest', acl } = extra;
  if (scheme !== 'digest' && scheme !== 'sasl') throw invalid('auth must be digest or sasl');
  if (credentials?.username === '') throw invalid('credentials need the name of a user');
  // Which the server would take for the end of the name, and so for somebody else.
  if (scheme === 'digest' && credentials?.username.includes(':') === true)
    throw invalid('auth=digest: the name of a user has no colon');
  if ('auth' in extra && credentials === null) throw invalid('auth needs a user and a password');
  return { credentials, scheme, acl: acl === undefined ? (credentials === null ? open : creator) : readAcl(acl) };
}

/** `creator`, `open`, or lines of `scheme:id:permissions` as zkCli writes them, separated by commas. */
function readAcl(text: string): readonly Permission[] {
  if (text === 'creator') return creator;
  if (text === 'open') return open;
  return text.split(betweenLines).map(readPermission);
}

function readPermission(text: string): Permission {
  const match = /^([a-z0-9]+):(.*):([rwcda]+)$/s.exec(text);
  const [, scheme, id, allowed] = match ?? [];
  // The line may hold the digest of a password, so it is not told.
  if (scheme === undefined || id === undefined || allowed === undefined)
    throw invalid('acl must be creator, open, or a list such as sasl:alice:cdrwa,world:anyone:r');
  const sum = [...new Set(allowed)].reduce((bits, letter) => bits | letters[letter as keyof typeof letters], 0);
  return { scheme, id, allowed: sum };
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
