import {
  CertificateAuthority,
  type EtcdSettings,
  type Identity,
  type SecureNode,
  startSecureEtcd,
} from '@concordat/conformance/servers';

/** One authority, and servers with certificates of its. */
export class SecureServers {
  /** Names that a server's certificate is for unless others are given. */
  static readonly hosts = ['127.0.0.1', 'localhost', 'etcd.internal'] as const;
  readonly authority: CertificateAuthority;
  readonly #nodes: SecureNode<EtcdSettings>[] = [];

  private constructor(authority: CertificateAuthority) {
    this.authority = authority;
  }

  static async create(): Promise<SecureServers> {
    return new SecureServers(await CertificateAuthority.create());
  }

  /** The certificate to trust, in PEM. */
  get ca(): string {
    return this.authority.certificate;
  }

  server(options: { readonly hosts?: readonly string[]; readonly expired?: boolean } = {}): Promise<Identity> {
    return this.authority.issue({ name: 'etcd', hosts: SecureServers.hosts, ...options });
  }

  async start(identity: Identity, settings: EtcdSettings & { readonly clientCertificates?: boolean } = {}) {
    const { clientCertificates = false, ...more } = settings;
    const node = await startSecureEtcd({ ...more, tls: { ca: this.ca, clientCertificates, ...identity } });
    this.#nodes.push(node);
    return node;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()));
  }
}
