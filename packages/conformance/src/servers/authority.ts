// x509 injects its parts by tsyringe, which needs this first.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const dayMs = 86_400_000;
const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const { digitalSignature, keyCertSign, cRLSign } = x509.KeyUsageFlags;

x509.cryptoProvider.set(webcrypto);

/** A certificate and its private key, both as PEM texts. */
export interface Identity {
  readonly certificate: string;
  /** PKCS #8, not encrypted. */
  readonly key: string;
}

/** Whom a certificate is for. */
export interface CertificateRequest {
  /** The subject's common name. */
  readonly name: string;
  /** DNS names and IP addresses of a server. */
  readonly hosts?: readonly string[];
  /** It was valid once, until yesterday. */
  readonly expired?: boolean;
}

/**
 * An authority that lives as long as a test does, and issues certificates for servers and clients (ECDSA on P-256).
 *
 * Two authorities never trust each other, even under the same name.
 */
export class CertificateAuthority {
  /** Its own certificate in PEM, for those that are to trust it. */
  readonly certificate: string;
  readonly #certificate: x509.X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.certificate = certificate.toString('pem');
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(name = 'Concordat test authority'): Promise<CertificateAuthority> {
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      ...common(false),
      name: nameOf(name),
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateAuthority(certificate, keys);
  }

  /** A new key and a certificate for it that both servers and clients may show; valid since yesterday, for a month. */
  async issue({ name, hosts = [], expired = false }: CertificateRequest): Promise<Identity> {
    const { publicKey, privateKey } = await makeKeys();
    const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
    const certificate = await x509.X509CertificateGenerator.create({
      ...common(expired),
      subject: nameOf(name),
      issuer: this.#certificate.subjectName,
      publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        await x509.SubjectKeyIdentifierExtension.create(publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      ],
    });
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey);
    return { certificate: certificate.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
  }
}

function common(
  expired: boolean,
): Pick<x509.X509CertificateCreateParams, 'serialNumber' | 'notBefore' | 'notAfter' | 'signingAlgorithm'> {
  const day = (days: number): Date => new Date(Date.now() + days * dayMs);
  const [notBefore, notAfter] = expired ? [day(-30), day(-1)] : [day(-1), day(30)];
  return { serialNumber: randomBytes(16).toString('hex'), notBefore, notAfter, signingAlgorithm };
}

function nameOf(name: string): x509.Name {
  return new x509.Name([{ CN: [{ utf8String: name }] }]);
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}
