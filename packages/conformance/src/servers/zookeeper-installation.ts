import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { DataDirectory } from './data-directory.js';
import { findExecutable } from './executables.js';
import type { Command } from './server-process.js';
import type { Installation, Ports } from './store-kind.js';
import { type ZooKeeperSettings, zooKeeperLines } from './zookeeper-settings.js';

const debianJars = '/usr/share/java';
// Debian's zookeeper.jar names the others that it needs, but not these two, which Netty needs for TLS.
const debianClassPath = ['zookeeper.jar', 'netty-codec.jar', 'netty-resolver.jar'].map((jar) => join(debianJars, jar));
const mainClass = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

/** A short tick, so that sessions of one second can be tested; a session lasts at least two ticks. */
export const shortTicks = {
  tickTime: 500,
  minSessionTimeout: 1000,
  maxSessionTimeout: 60_000,
  maxClientCnxns: 0,
} as const;

/** Starts in half the time of the defaults, and small enough for several servers at once. */
export const smallMachine = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'] as const;

/** A ZooKeeper on this machine. */
export interface InstalledZooKeeper {
  /** Where it was found, for the announcement. */
  readonly found: string;
  /** What starts it with this `zoo.cfg`, and these arguments for the virtual machine. */
  command(file: string, properties?: readonly string[]): Command;
}

/** The ZooKeeper in `ZOOKEEPER_HOME`, else Debian's; `null` when there is none, or no Java. */
export function installedZooKeeper(): InstalledZooKeeper | null {
  const { JAVA_HOME: javaHome, ZOOKEEPER_HOME: home } = process.env;
  const java = findExecutable('java', ...(javaHome ? [join(javaHome, 'bin')] : []));
  const found = home || join(debianJars, 'zookeeper.jar');
  if (java === null || (!home && !existsSync(found))) return null;
  const classPath = home
    ? [join(home, 'lib'), home, join(home, 'libexec', 'lib')].map((folder) => join(folder, '*'))
    : debianClassPath;
  return {
    found,
    command: (file, properties = []) => ({
      file: java,
      args: [...smallMachine, ...properties, '-cp', classPath.join(delimiter), mainClass, file],
    }),
  };
}

/** The installed ZooKeeper with these settings; `null` when there is none. */
export async function zooKeeperInstallation(settings: ZooKeeperSettings): Promise<Installation | null> {
  const installed = installedZooKeeper();
  if (installed === null) return null;
  return {
    found: installed.found,
    prepare: async (directory, ports) => {
      const { file, door, properties } = await writeConfiguration(directory, ports, settings);
      return { ...installed.command(file, properties), door };
    },
  };
}

async function writeConfiguration(
  directory: DataDirectory,
  ports: Ports,
  settings: ZooKeeperSettings,
): Promise<{ file: string; door: number; properties: readonly string[] }> {
  const file = join(directory.root, 'zoo.cfg');
  const door = settings.tls === undefined ? ports.client : ports.door;
  const { configuration, properties } = await zooKeeperLines(directory, settings);
  const lines = {
    ...shortTicks,
    dataDir: directory.data,
    clientPort: door,
    clientPortAddress: '127.0.0.1',
    ...(door === ports.client ? {} : { secureClientPort: ports.client, secureClientPortAddress: '127.0.0.1' }),
    'admin.enableServer': false,
    '4lw.commands.whitelist': '*',
    ...configuration,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, text.join(''));
  return { file, door, properties: Object.entries(properties).map(([name, value]) => `-D${name}=${value}`) };
}
