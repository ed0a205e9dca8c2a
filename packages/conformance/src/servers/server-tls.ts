import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from './data-directory.js';

/** The TLS side of a server, in PEM texts. */
export interface ServerTls {
  /** Authority that certificates of clients must come from. */
  readonly ca: string;
  readonly certificate: string;
  /** Of the certificate, PKCS #8 without a passphrase. */
  readonly key: string;
  /** Whether a client has to show a certificate; without, none is asked for. */
  readonly clientCertificates: boolean;
}

/** Full paths of PEM files. */
export interface TlsFiles {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Key and certificate in one file, as Java wants them. */
  readonly both: string;
}

/** Puts them into files, in place of those that were there. */
export async function writeTlsFiles(directory: DataDirectory, tls: ServerTls): Promise<TlsFiles> {
  const contents = { ca: tls.ca, certificate: tls.certificate, key: tls.key, both: tls.key + tls.certificate };
  const file = (name: string): string => join(directory.root, `${name}.pem`);
  await Promise.all(Object.entries(contents).map(([name, text]) => writeFile(file(name), text, { mode: 0o600 })));
  return { ca: file('ca'), certificate: file('certificate'), key: file('key'), both: file('both') };
}
