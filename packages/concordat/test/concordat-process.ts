import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

/** The command as a program for Node. */
export const bin = fileURLToPath(new URL('../bin/concordat.mjs', import.meta.url));

/** A `concordat` command that runs as a process of its own, without a terminal. */
export class ConcordatProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | string>;
  stdout = '';
  stderr = '';

  /** @param stderr where that goes, when it is not to be read here. */
  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    stderr: number | 'pipe' = 'pipe',
  ) {
    const { COORDINATOR_URL: _own, ...inherited } = process.env;
    const child = spawn(process.execPath, [bin, ...args], {
      stdio: ['ignore', 'pipe', stderr],
      env: { ...inherited, ...environment },
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code ?? '')));
    // Killed hard it would leave its command running.
    onTestFinished(async () => {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await this.#ended;
    });
  }

  /** Exit code, or the signal that ended it. */
  get ended(): Promise<number | string> {
    return this.#ended;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when its output shows `text`. */
  async shows(text: string | RegExp, timeout = 10_000): Promise<void> {
    await vi.waitFor(
      () => {
        if (!(this.stdout + this.stderr).match(text))
          throw new Error(`not shown: ${String(text)}\n${this.stdout}${this.stderr}`);
      },
      { timeout, interval: 20 },
    );
  }
}

/** Runs it to its end. */
export async function concordat(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const run = new ConcordatProcess(args, environment);
  const code = await run.ended;
  return { code, stdout: run.stdout, stderr: run.stderr };
}
