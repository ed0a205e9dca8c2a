import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Host } from '@concordat/core/spi';
import type { DataDirectory } from './data-directory.js';
import { findExecutable } from './executables.js';
import { fourLetterWord } from './four-letter-word.js';
import type { Command } from './server-process.js';
import type { Image, Installation, StoreKind } from './store-kind.js';
import { until } from './until.js';
import { ZooKeeperClient } from './zookeeper-client.js';
import { ZooKeeperOperator } from './zookeeper-operator.js';
import { zooKeeperMeter } from './zookeeper-wire.js';

const startLimitMs = 30_000;
const openLimitMs = 500;
const debianJars = '/usr/share/java';
const mainClass = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
// A short tick, so that sessions of one second can be tested; a session lasts at least two ticks.
const configuration = { tickTime: 500, minSessionTimeout: 1000, maxSessionTimeout: 60_000, maxClientCnxns: 0 } as const;
// Starts in half the time of the defaults, and small enough for several servers at once.
const machine = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'] as const;

/** ZooKeeper, 3.5 or newer. */
export const zooKeeperKind: StoreKind = {
  name: 'zookeeper',
  urlVariable: 'CONCORDAT_ZOOKEEPER_URL',
  imageVariable: 'CONCORDAT_ZOOKEEPER_IMAGE',
  scheme: 'zookeeper',
  defaultPort: 2181,
  packages: 'libzookeeper-java default-jre-headless',
  meter: zooKeeperMeter,
  installation,
  image,
  identify,
  operator: (host) => new ZooKeeperOperator(host),
};

async function installation(): Promise<Installation | null> {
  const { JAVA_HOME: javaHome, ZOOKEEPER_HOME: home } = process.env;
  const java = findExecutable('java', ...(javaHome ? [join(javaHome, 'bin')] : []));
  if (java === null) return null;
  if (home) {
    const folders = [join(home, 'lib'), home, join(home, 'libexec', 'lib')];
    return installed(java, home, folders.map((folder) => join(folder, '*')).join(delimiter));
  }
  const jar = join(debianJars, 'zookeeper.jar');
  return existsSync(jar) ? installed(java, jar, jar) : null;
}

function installed(java: string, found: string, classPath: string): Installation {
  return { found, prepare: (directory, port) => prepare(java, classPath, directory, port) };
}

async function prepare(java: string, classPath: string, directory: DataDirectory, port: number): Promise<Command> {
  const file = join(directory.root, 'zoo.cfg');
  const lines = {
    ...configuration,
    dataDir: directory.data,
    clientPort: port,
    clientPortAddress: '127.0.0.1',
    'admin.enableServer': false,
    '4lw.commands.whitelist': '*',
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, text.join(''));
  return { file: java, args: [...machine, '-cp', classPath, mainClass, file] };
}

function image(): Image {
  const { tickTime, maxClientCnxns, minSessionTimeout, maxSessionTimeout } = configuration;
  return {
    name: process.env[zooKeeperKind.imageVariable] ?? 'zookeeper:3.8',
    port: 2181,
    environment: {
      ZOO_TICK_TIME: `${tickTime}`,
      ZOO_MAX_CLIENT_CNXNS: `${maxClientCnxns}`,
      ZOO_ADMINSERVER_ENABLED: 'false',
      ZOO_4LW_COMMANDS_WHITELIST: '*',
      ZOO_CFG_EXTRA: `minSessionTimeout=${minSessionTimeout} maxSessionTimeout=${maxSessionTimeout}`,
      JVMFLAGS: machine.join(' '),
    },
    command: null,
  };
}

/** Opens a session as the last proof. */
function identify(host: Host, limitMs = startLimitMs): Promise<string> {
  return until(`ZooKeeper on ${host.host}:${host.port} serves`, limitMs, async () => {
    const settings = await fourLetterWord(host, 'conf');
    if (!settings.includes('dataDir=')) return undefined;
    const client = await ZooKeeperClient.open(host, { limitMs: openLimitMs });
    await client.close();
    return settings;
  });
}
