import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { DataDirectory } from './data-directory.js';
import { Guard } from './guard.js';
import { until } from './until.js';

const stopMs = 5_000;

/** A command line. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** One server as a child of this process: started, stopped in its tracks, killed; never left behind. */
export class ServerProcess {
  readonly #directory: DataDirectory;
  readonly #guard: Guard;
  #child: ChildProcess | null = null;
  #file = 'the server';

  constructor(directory: DataDirectory) {
    this.#directory = directory;
    this.#guard = new Guard(directory.root);
  }

  get pid(): number | null {
    return this.running ? (this.#child?.pid ?? null) : null;
  }

  get running(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Rejects with what it wrote last when it ends. */
  async ended(): Promise<never> {
    const child = this.#child;
    if (child !== null && this.running) await once(child, 'exit');
    const lastWords = readFileSync(this.#directory.log, 'utf8').trim().split('\n').slice(-8).join('\n');
    throw new Error(`${this.#file} ended at once:\n${lastWords}`);
  }

  /** Starts it; whether it serves is for the caller to ask. */
  start(command: Command): void {
    if (this.running) throw new Error(`${command.file} runs already`);
    const log = openSync(this.#directory.log, 'a');
    // The command begins only when the guard knows its process number, so that no moment is unguarded.
    const nothing = openSync('/dev/null', 'r');
    const child = spawn('sh', ['-c', 'read -r go && exec "$@" </dev/null', 'sh', command.file, ...command.args], {
      stdio: ['pipe', log, log, ...Array.from({ length: largestDescriptor() - 2 }, () => nothing)],
      cwd: this.#directory.root,
    });
    closeSync(nothing);
    closeSync(log);
    this.#child = child;
    this.#file = command.file;
    child.once('exit', () => {
      if (this.#child === child) this.#guard.watch(null);
    });
    child.stdin?.on('error', () => undefined);
    if (child.pid !== undefined) this.#guard.watch(child.pid);
    child.stdin?.end('go\n');
    child.unref();
  }

  /** Resolves when every thread stands still: on a busy machine some of them run on for milliseconds after the signal. */
  async freeze(): Promise<void> {
    this.#signal('SIGSTOP');
    const { pid } = this;
    if (pid !== null) await until(`${this.#file} stands still`, stopMs, async () => standsStill(pid) || undefined);
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** SIGKILL, which also ends a stopped process; resolves when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || !this.running) return;
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Kills it and removes its files. */
  async stop(): Promise<void> {
    await this.kill();
    await this.#guard.act();
  }

  #signal(signal: NodeJS.Signals): void {
    if (!this.running) throw new Error(`no server to send ${signal} to: it was killed`);
    this.#child?.kill(signal);
  }
}

/**
 * Sockets that are not closed on exec, as those of npm `zookeeper` are unless it was built for it, would live on in the server:
 * closed here, they stay registered with our event loop and disturb whoever gets their number. Something else has to stand there.
 */
function largestDescriptor(): number {
  if (process.platform !== 'linux') return 2;
  return Math.max(2, ...readdirSync('/proc/self/fd').map(Number));
}

// Where there is no /proc to look at, the signal has to do.
function standsStill(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  return readdirSync(`/proc/${String(pid)}/task`).every((task) => {
    const line = readFileSync(`/proc/${String(pid)}/task/${task}/stat`, 'utf8');
    // The program's name stands in brackets before the state, and may hold anything.
    return line.slice(line.lastIndexOf(')') + 2).startsWith('T');
  });
}
