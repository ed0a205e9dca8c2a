import type { Host } from '@concordat/core/spi';
import type { Credentials } from './credentials.js';
import { fourLetterWord } from './four-letter-word.js';
import type { Image, StoreKind } from './store-kind.js';
import { until } from './until.js';
import { ZooKeeperClient } from './zookeeper-client.js';
import { ZooKeeperRefusal, zooKeeperCodes } from './zookeeper-connection.js';
import { shortTicks, smallMachine, zooKeeperInstallation } from './zookeeper-installation.js';
import { ZooKeeperOperator } from './zookeeper-operator.js';
import { zooKeeperMeter } from './zookeeper-wire.js';

const startLimitMs = 30_000;
const openLimitMs = 500;

/** ZooKeeper, 3.5 or newer. */
export const zooKeeperKind: StoreKind = {
  name: 'zookeeper',
  urlVariable: 'CONCORDAT_ZOOKEEPER_URL',
  imageVariable: 'CONCORDAT_ZOOKEEPER_IMAGE',
  scheme: 'zookeeper',
  defaultPort: 2181,
  packages: 'libzookeeper-java default-jre-headless',
  meter: zooKeeperMeter,
  installation: () => zooKeeperInstallation({}),
  image,
  identify,
  operator: (host) => new ZooKeeperOperator(host),
};

/** The same with an operator who says who he is. */
export function zooKeeperOperatedBy(operator: Credentials): StoreKind {
  return { ...zooKeeperKind, operator: (host) => new ZooKeeperOperator(host, operator) };
}

function image(): Image {
  const { tickTime, maxClientCnxns, minSessionTimeout, maxSessionTimeout } = shortTicks;
  return {
    name: process.env[zooKeeperKind.imageVariable] ?? 'zookeeper:3.8',
    port: 2181,
    environment: {
      // Its own image keeps the log apart otherwise.
      ZOO_DATA_LOG_DIR: '/data',
      ZOO_TICK_TIME: `${tickTime}`,
      ZOO_MAX_CLIENT_CNXNS: `${maxClientCnxns}`,
      ZOO_ADMINSERVER_ENABLED: 'false',
      ZOO_4LW_COMMANDS_WHITELIST: '*',
      ZOO_CFG_EXTRA: `minSessionTimeout=${minSessionTimeout} maxSessionTimeout=${maxSessionTimeout}`,
      JVMFLAGS: smallMachine.join(' '),
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
    await client.close().catch(acceptRefusal);
    return settings;
  });
}

// It opens a session for anybody, and only then asks who it is.
function acceptRefusal(error: unknown): void {
  if (!(error instanceof ZooKeeperRefusal && error.code === zooKeeperCodes.mustSayWho)) throw error;
}
