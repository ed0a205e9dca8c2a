import { spawn } from 'node:child_process';

// One number to a line: to be killed; with a minus before it: gone by itself. The pipe ends with the process that holds it.
const script = `
trap '' HUP INT TERM
pids=' '
while read -r line; do
  case $line in
    -*) pids=$(printf '%s' "$pids" | sed "s/ \${line#-} / /") ;;
    *) pids="$pids$line " ;;
  esac
done
[ "$pids" = ' ' ] || kill -KILL $pids 2>/dev/null
`;

/** Kills the clients when the run ends, however it ends: one that stands still would never notice. */
export class Reaper {
  readonly #shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] });

  constructor() {
    this.#shell.stdin.on('error', () => undefined);
    this.#shell.unref();
  }

  watch(pid: number): void {
    this.#shell.stdin.write(`${String(pid)}\n`);
  }

  /** Its number may be given to another. */
  forget(pid: number): void {
    this.#shell.stdin.write(`-${String(pid)}\n`);
  }

  close(): void {
    this.#shell.stdin.end();
  }
}
