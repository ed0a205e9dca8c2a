import type { Host } from '@concordat/core/spi';
import type { DataDirectory } from './data-directory.js';
import { EtcdGateway } from './etcd-gateway.js';
import { EtcdOperator } from './etcd-operator.js';
import { etcdMeter } from './etcd-wire.js';
import { findExecutable } from './executables.js';
import { freePort } from './ports.js';
import type { Command } from './server-process.js';
import type { Image, Installation, StoreKind } from './store-kind.js';
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
  installation,
  image,
  identify,
  operator: (host) => new EtcdOperator(host),
};

async function installation(): Promise<Installation | null> {
  const program = findExecutable('etcd');
  return program === null ? null : { found: program, prepare: (directory, port) => prepare(program, directory, port) };
}

async function prepare(program: string, directory: DataDirectory, port: number): Promise<Command> {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const flags = {
    // A member's name is what tells this server from another that holds the port.
    name: directory.root,
    'data-dir': directory.data,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `${directory.root}=${peer}`,
  };
  return { file: program, args: Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]) };
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
function identify(host: Host, limitMs = startLimitMs): Promise<string> {
  const gateway = new EtcdGateway(host);
  return until(`etcd on ${host.host}:${host.port} serves`, limitMs, async () => {
    await gateway.below('concordat-probe/');
    return (await gateway.memberNames()).filter((name) => name !== '').join(' ') || undefined;
  });
}
