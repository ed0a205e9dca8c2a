import type { Host } from '@concordat/core/spi';
import type { Credentials } from './credentials.js';
import type { DataDirectory } from './data-directory.js';
import { asksWhoItIs, EtcdGateway } from './etcd-gateway.js';
import { EtcdOperator } from './etcd-operator.js';
import { type EtcdSettings, etcdFlags } from './etcd-settings.js';
import { etcdMeter } from './etcd-wire.js';
import { findExecutable } from './executables.js';
import { freePort } from './ports.js';
import type { Image, Installation, Ports, Prepared, StoreKind } from './store-kind.js';
import { until } from './until.js';

const startLimitMs = 30_000;

/** etcd, 3.4 or newer. */
export const etcdKind: StoreKind = {
  name: 'etcd',
  urlVariable: 'CONCORDAT_ETCD_URL',
  imageVariable: 'CONCORDAT_ETCD_IMAGE',
  scheme: 'etcd',
  defaultPort: 2379,
  packages: 'etcd-server',
  meter: etcdMeter,
  installation: () => etcdInstallation({}),
  image,
  identify,
  operator: (host) => new EtcdOperator(host),
};

/** The same with an operator who says who he is, once the server asks. */
export function etcdOperatedBy(operator: Credentials): StoreKind {
  return {
    ...etcdKind,
    identify: (host, limitMs) => identify(host, limitMs, operator),
    operator: (host) => new EtcdOperator(host, operator),
  };
}

/** The installed etcd with these settings; `null` when there is none. */
export async function etcdInstallation(settings: EtcdSettings): Promise<Installation | null> {
  const program = findExecutable('etcd');
  if (program === null) return null;
  return { found: program, prepare: (directory, ports) => prepare(program, settings, directory, ports) };
}

async function prepare(
  program: string,
  settings: EtcdSettings,
  directory: DataDirectory,
  ports: Ports,
): Promise<Prepared> {
  const secure = settings.tls !== undefined;
  const client = `${secure ? 'https' : 'http'}://127.0.0.1:${ports.client}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const flags = {
    // A member's name is what tells this server from another that holds the port.
    name: directory.root,
    'data-dir': directory.data,
    'listen-client-urls': secure ? `${client},http://127.0.0.1:${ports.door}` : client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `${directory.root}=${peer}`,
    ...(await etcdFlags(directory, settings)),
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  return { file: program, args, door: secure ? ports.door : ports.client };
}

function image(): Image {
  const port = 2379;
  const clients = `http://0.0.0.0:${port}`;
  return {
    name: process.env[etcdKind.imageVariable] ?? 'quay.io/coreos/etcd:v3.5.24',
    port,
    environment: {},
    command: ['etcd', '--data-dir', '/data', '--listen-client-urls', clients, '--advertise-client-urls', clients],
  };
}

/** Asks a linearizable question first, so that a server without a leader does not count as serving. */
function identify(host: Host, limitMs = startLimitMs, operator?: Credentials): Promise<string> {
  const gateway = new EtcdGateway(host, { credentials: operator });
  return until(`etcd on ${host.host}:${host.port} serves`, limitMs, async () => {
    await gateway.below('concordat-probe/').catch(acceptRefusal);
    return (await gateway.memberNames()).filter((name) => name !== '').join(' ') || undefined;
  });
}

// It asks a quorum first, and only then who wants to know.
function acceptRefusal(error: unknown): void {
  if (!asksWhoItIs(error)) throw error;
}
