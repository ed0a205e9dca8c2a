import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { exitCodeOfSignal, exitCodes } from './exit-codes.js';
import { inheritableSockets } from './inheritable-sockets.js';

/** How to run COMMAND. */
export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to our own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** COMMAND while it runs: without a shell, on our own standard streams, in our own process group. */
export class RunningCommand {
  readonly #child: ChildProcess | null;
  /** Its exit code, or 126, 127, 128 + n as a shell would say. */
  readonly ended: Promise<number>;

  /** @param failed told why it could not be started. */
  constructor(line: CommandLine, failed: (message: string) => void) {
    try {
      this.#child = start(line);
      this.ended = this.#untilEnded(this.#child, line.file, failed);
    } catch (error) {
      // Some reasons are thrown at once: the wrong format, too many arguments, an empty name.
      this.#child = null;
      this.ended = Promise.resolve(notStarted(line.file, error, failed));
    }
  }

  send(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** TERM, then KILL when it still runs after `graceMs`. */
  terminate(graceMs: number): void {
    this.send('SIGTERM');
    const timer = setTimeout(() => this.send('SIGKILL'), graceMs);
    void this.ended.finally(() => clearTimeout(timer));
  }

  async #untilEnded(child: ChildProcess, file: string, failed: (message: string) => void): Promise<number> {
    // Should this process fail first, the command must not run on without the lock.
    const abandoned = (): void => this.send('SIGTERM');
    process.once('exit', abandoned);
    const exitCode = await new Promise<number>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 0) : exitCodeOfSignal(signal)));
      child.on('error', (error) => {
        // The same event tells of a signal that could not be sent to a command that runs.
        if (child.pid === undefined) resolve(notStarted(file, error, failed));
      });
    });
    process.off('exit', abandoned);
    return exitCode;
  }
}

function start({ file, args, environment }: CommandLine): ChildProcess {
  const nothing = openSync(devNull, 'r');
  try {
    return spawn(file, args, { stdio: streams(nothing), env: { ...process.env, ...environment } });
  } finally {
    closeSync(nothing);
  }
}

// A descriptor cannot be closed in the child, only replaced; `ignore` leaves those in between as they are.
function streams(nothing: number): StdioOptions {
  const all: ('inherit' | 'ignore' | number)[] = ['inherit', 'inherit', 'inherit'];
  for (const socket of inheritableSockets()) {
    while (all.length < socket) all.push('ignore');
    all[socket] = nothing;
  }
  return all;
}

function notStarted(file: string, error: unknown, failed: (message: string) => void): number {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  failed(`${file}: ${missing ? 'not found' : 'cannot be executed'}`);
  return missing ? exitCodes.notFound : exitCodes.notExecutable;
}
