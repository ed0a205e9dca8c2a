import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { CoordinationError } from '../errors.js';

/**
 * What to trust and whom to be on a TLS connection.
 *
 * `ca`, `cert` and `key` are each a PEM text, or the path of a file that holds one. Files are read again for each connection, so that
 * certificates can be renewed while the process runs; while they cannot be read, or do not fit each other, the last ones that did are used.
 */
export interface TlsOptions {
  /** Authorities that a server's certificate must come from. Default: those that Node.js trusts. */
  readonly ca?: string;
  /** Certificate of this client, with its chain; needs `key`. */
  readonly cert?: string;
  /** Private key of `cert`. Never part of a message or an event. */
  readonly key?: string;
  /** What `key` is encrypted with. Never part of a message or an event. */
  readonly passphrase?: string;
  /** Name that a server's certificate must be for, whatever host was dialled. Default: the host as it was given. */
  readonly serverName?: string;
}

/** PEM texts that fit each other. */
export interface TlsMaterial {
  /** Default: the authorities that Node.js trusts. */
  readonly ca?: string;
  /** Of this client. */
  readonly cert?: string;
  /** Of {@link TlsMaterial.cert}. */
  readonly key?: string;
  /** Of {@link TlsMaterial.key}. */
  readonly passphrase?: string;
  /** All of the above, ready for `node:tls`. */
  readonly context: SecureContext;
}

const names: ReadonlySet<string> = new Set(['ca', 'cert', 'key', 'passphrase', 'serverName']);
const fields = ['ca', 'cert', 'key'] as const;
const pemBlocks = /-----BEGIN [^-]+-----[^-]*(?:-----END [^-]+-----)?/g;

/** The TLS side of a connection, as drivers get it. Shows nothing of its contents when it is inspected. */
export class Tls {
  /** Name that a server's certificate must be for; `null`: the host that was dialled. */
  readonly serverName: string | null;
  readonly #options: TlsOptions;
  #last: TlsMaterial;

  /** @throws {CoordinationError} `INVALID_ARGUMENT`; the message names the option and never holds what it contains. */
  constructor(options: TlsOptions) {
    check(options);
    this.#options = options;
    this.serverName = options.serverName ?? null;
    this.#last = load(options);
  }

  /** Reads the files again. Never throws. */
  material(): TlsMaterial {
    try {
      this.#last = load(this.#options);
    } catch {
      // In the middle of being renewed.
    }
    return this.#last;
  }
}

function check(options: TlsOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!names.has(name)) throw invalid(`tls: unknown option "${name}"; known are ${[...names].join(', ')}`);
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalid(`tls: ${name} must be a string that is not empty`);
  }
  if ((options.cert === undefined) !== (options.key === undefined)) throw invalid('tls: cert and key go together');
}

function load({ passphrase, ...options }: TlsOptions): TlsMaterial {
  const texts: { ca?: string; cert?: string; key?: string; passphrase?: string } = {};
  for (const field of fields) {
    const given = options[field];
    if (given !== undefined) texts[field] = given.includes('-----BEGIN') ? given : read(field, given);
  }
  if (passphrase !== undefined) texts.passphrase = passphrase;
  try {
    // OpenSSL passes over what is no certificate, and then trusts nobody.
    for (const [block] of texts.ca?.matchAll(pemBlocks) ?? []) new X509Certificate(block);
    return { ...texts, context: createSecureContext(texts) };
  } catch (cause) {
    // The cause of OpenSSL names the step that failed, and nothing of the texts.
    const reason = cause instanceof Error ? cause.message : 'refused';
    throw invalid(`tls: ca, cert and key are no PEM texts, or do not fit each other: ${reason}`);
  }
}

function read(field: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw invalid(`tls: the file given as ${field} cannot be read (${code})`);
  }
  if (!text.includes('-----BEGIN')) throw invalid(`tls: the file given as ${field} holds no PEM text`);
  return text;
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
