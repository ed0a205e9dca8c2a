import type { Host } from '@concordat/core/spi';
import type { Operator } from '../harness.js';
import type { DataDirectory } from './data-directory.js';
import type { Command } from './server-process.js';
import type { WireMeterMaker } from './wire.js';

/** Free ports of 127.0.0.1 for one server. */
export interface Ports {
  readonly client: number;
  /** Besides, for a server whose clients come over TLS: in the clear, for operators and probes. */
  readonly door: number;
}

/** How to start a server that was prepared. */
export interface Prepared extends Command {
  /** Which of its ports answers in the clear. Default: the one for clients. */
  readonly door?: number;
}

/** A server program found on this machine. */
export interface Installation {
  /** Where it was found, for the announcement. */
  readonly found: string;
  /** Writes whatever configuration it needs and says how to start it on these ports. */
  prepare(directory: DataDirectory, ports: Ports): Promise<Prepared>;
}

/** A server program in a container image. Official images read the environment, minimal ones need the command. */
export interface Image {
  readonly name: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /** `null`: the image's own. */
  readonly command: readonly string[] | null;
}

/** What the ways to a server and to break it have to know about one kind of store. */
export interface StoreKind {
  readonly name: 'etcd' | 'zookeeper';
  /** Environment variable that names a server to use. */
  readonly urlVariable: string;
  /** Environment variable that names the container image. */
  readonly imageVariable: string;
  readonly scheme: string;
  readonly defaultPort: number;
  /** Debian packages that bring the server, for the remedy. */
  readonly packages: string;
  installation(): Promise<Installation | null>;
  image(): Image;
  /**
   * Resolves when the server there serves, with something that only the server of this data directory would say; rejects
   * after `limitMs`, 30 s unless given.
   */
  identify(host: Host, limitMs?: number): Promise<string>;
  operator(host: Host): Operator;
  readonly meter: WireMeterMaker;
}
