import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, installedZooKeeper } from '@concordat/conformance/servers';
import { eventually } from './eventually.js';

/** A standalone ZooKeeper of this test's own. */
export class TestServer {
  #process: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    readonly directory: string,
  ) {}

  static async start(): Promise<TestServer> {
    const server = new TestServer(await freePort(), await mkdtemp(join(tmpdir(), 'concordat-zk-')));
    await server.start();
    return server;
  }

  async start(maxSessionTimeoutMs = 60_000): Promise<void> {
    const config = join(this.directory, 'zoo.cfg');
    await writeFile(
      config,
      [
        'tickTime=500',
        'minSessionTimeout=1000',
        `maxSessionTimeout=${String(maxSessionTimeoutMs)}`,
        `dataDir=${join(this.directory, 'data')}`,
        `clientPort=${String(this.port)}`,
        'clientPortAddress=127.0.0.1',
        'maxClientCnxns=0',
        'admin.enableServer=false',
        '4lw.commands.whitelist=*',
      ].join('\n'),
    );
    const command = installedZooKeeper()?.command(config);
    if (command === undefined)
      throw new Error('No ZooKeeper: apt-get install --no-install-recommends libzookeeper-java default-jre-headless');
    this.#process = spawn(command.file, command.args, { stdio: 'ignore' });
    await eventually(async () => (await this.ask('srvr')).includes('Mode:'), 20_000);
  }

  /** A four-letter command; empty where nobody answers. */
  ask(command: string): Promise<string> {
    return new Promise((resolve) => {
      let reply = '';
      const socket = connect(this.port, '127.0.0.1', () => socket.write(command));
      socket.on('data', (data) => {
        reply += String(data);
      });
      socket.setTimeout(500, () => socket.destroy());
      socket.on('error', () => resolve(''));
      socket.on('close', () => resolve(reply));
    });
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(name);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await exited;
  }

  /** Begins again with no data at all. */
  async wipe(): Promise<void> {
    await this.kill();
    await rm(join(this.directory, 'data'), { recursive: true });
    await this.start();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}
