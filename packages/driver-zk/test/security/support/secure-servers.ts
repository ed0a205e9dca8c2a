import {
  CertificateAuthority,
  type CertificateRequest,
  type SecureNode,
  type ServerTls,
  startSecureZooKeeper,
  type ZooKeeperSettings,
} from '@concordat/conformance/servers';
import type { CoordinatorOptions, TlsOptions } from '@concordat/core';
import type { Host } from '@concordat/core/spi';

interface Wanted extends Partial<CertificateRequest> {
  /** Whether clients have to show a certificate. Default: they are not asked for one. */
  readonly clientCertificates?: boolean;
}

/** An authority, and servers with certificates of it. */
export class SecureServers {
  readonly authority: CertificateAuthority;
  readonly #started: SecureNode<ZooKeeperSettings>[] = [];

  private constructor(authority: CertificateAuthority) {
    this.authority = authority;
  }

  static async create(): Promise<SecureServers> {
    return new SecureServers(await CertificateAuthority.create());
  }

  get ca(): string {
    return this.authority.certificate;
  }

  /** What a server shows: a good certificate for 127.0.0.1 unless told otherwise. */
  async tls({ clientCertificates = false, ...wanted }: Wanted = {}): Promise<ServerTls> {
    const identity = await this.authority.issue({ name: 'zookeeper', hosts: ['127.0.0.1'], ...wanted });
    return { ...identity, ca: this.ca, clientCertificates };
  }

  async start(
    wanted: Wanted = {},
    settings: Omit<ZooKeeperSettings, 'tls'> = {},
  ): Promise<SecureNode<ZooKeeperSettings>> {
    const node = await startSecureZooKeeper({ ...settings, tls: await this.tls(wanted) });
    this.#started.push(node);
    return node;
  }

  /** Options of a client that trusts these servers. */
  trusting(hosts: CoordinatorOptions['hosts'] & object, tls: TlsOptions = {}): CoordinatorOptions {
    return { hosts, secure: true, tls: { ca: this.ca, ...tls } };
  }

  /** A certificate for a client, as its options have it. */
  async client(name: string, expired = false): Promise<{ readonly cert: string; readonly key: string }> {
    const { certificate: cert, key } = await this.authority.issue({ name, expired });
    return { cert, key };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.map((node) => node.stop()));
  }
}

/** As messages name it. */
export function nameOf({ hosts }: { readonly hosts: readonly Host[] }): string {
  return hosts.map(({ host, port }) => `${host}:${String(port)}`).join();
}
