import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/**
 * Kills the current server and removes its files when this process ends, however it ends.
 *
 * A small shell reads a pipe that only this process holds: when the kernel closes it, the shell acts. SIGKILL also ends a
 * server that is stopped. It ignores the signals a terminal sends to the whole group, since a stopped server would outlive those.
 */
const script = `
trap '' HUP INT TERM
server=
while read -r line; do server=$line; done
if [ -n "$server" ]; then
  kill -KILL "$server" 2>/dev/null
  tries=0
  while kill -0 "$server" 2>/dev/null && [ $tries -lt 20 ]; do tries=$((tries + 1)); sleep 0.1; done
fi
rm -rf "$1"
`;

/** The guard of one server; see {@link script}. */
export class Guard {
  readonly #shell: ChildProcess;

  constructor(directory: string) {
    this.#shell = spawn('sh', ['-c', script, 'concordat-guard', directory], { stdio: ['pipe', 'ignore', 'ignore'] });
    // The shell may be gone already when this process is being torn down: nothing can be told to it then.
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
    if (this.#shell.stdin instanceof Socket) this.#shell.stdin.unref();
  }

  /** Which process to kill; `null` once it has ended, because its number may be given to another. */
  watch(pid: number | null): void {
    this.#shell.stdin?.write(`${pid ?? ''}\n`);
  }

  /** Kills and removes now. */
  async act(): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    this.#shell.ref();
    const ended = once(this.#shell, 'exit');
    this.#shell.stdin?.end();
    await ended;
  }
}
