export { CertificateAuthority, type CertificateRequest, type Identity } from './authority.js';
export type { Credentials } from './credentials.js';
export type { AuthTokens, EtcdSettings } from './etcd-settings.js';
export { etcdHarness, type HarnessOptions, zookeeperHarness } from './harnesses.js';
export { StoreNode } from './node.js';
export { SecureNode, startSecureEtcd, startSecureZooKeeper } from './secure-node.js';
export type { ServerTls } from './server-tls.js';
export { startEtcd, startZooKeeper } from './start.js';
export type { SaslUsers, ZooKeeperSettings } from './zookeeper-settings.js';
