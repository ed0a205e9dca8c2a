import { createRequire } from 'node:module';
import { CoordinationError } from '@concordat/core';
import { parseCommandLine } from './arguments.js';
import { exitCodeOfError, exitCodeOfSignal } from './exit-codes.js';
import { help } from './help.js';
import { lockCommand } from './lock-command.js';
import { Notices } from './notices.js';
import { Interruption, SignalRouter } from './signal-router.js';

/** The `concordat` command: reads its arguments, does what they say, and answers the exit code. */
export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const notices = new Notices(process.stderr);
  // Whoever read it may be gone: that must not end us, and leave the command running without a lock.
  process.stderr.on('error', () => undefined);
  try {
    const intent = parseCommandLine(args, environment);
    if (intent.kind === 'lock') return await withSignals((signals) => lockCommand(intent.request, signals, notices));
    process.stdout.write(intent.kind === 'help' ? help : `${version()}\n`);
    return 0;
  } catch (error) {
    return failed(error, notices);
  }
}

async function withSignals(work: (signals: SignalRouter) => Promise<number>): Promise<number> {
  // One stream that was led elsewhere is no sign: whatever is left of a terminal sends its signals to all of its foreground.
  const fromTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  const signals = new SignalRouter(fromTerminal);
  try {
    return await work(signals);
  } finally {
    signals.stop();
  }
}

function failed(error: unknown, notices: Notices): number {
  if (error instanceof Interruption) return exitCodeOfSignal(error.signal);
  if (!CoordinationError.is(error)) throw error;
  const hint = error.code === 'INVALID_ARGUMENT' ? '; see concordat --help' : '';
  notices.line(`${error.message}${hint}`);
  return exitCodeOfError(error);
}

function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
