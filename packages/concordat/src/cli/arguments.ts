import { parseArgs } from 'node:util';
import { CoordinationError, parseDuration } from '@concordat/core';

/** One run of `concordat lock`, as asked for. */
export interface LockRequest {
  readonly name: string;
  readonly url: string;
  /** Limit of the waiting in milliseconds, or `undefined` for none. */
  readonly timeoutMs: number | undefined;
  /** True: enters only an empty line. */
  readonly tryOnly: boolean;
  /** Between TERM and KILL when the lock is lost, in milliseconds. */
  readonly killAfterMs: number;
  readonly data: string | undefined;
  readonly quiet: boolean;
  readonly command: string;
  readonly commandArguments: readonly string[];
}

/** What the command line asks for. */
export type Intent = { readonly kind: 'help' | 'version' } | { readonly kind: 'lock'; readonly request: LockRequest };

const defaultKillAfterMs = 5_000;

/**
 * Reads the command line; everything after the first `--` belongs to COMMAND.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Intent {
  const separator = args.indexOf('--');
  const own = separator < 0 ? args : args.slice(0, separator);
  const [command, ...commandArguments] = separator < 0 ? [] : args.slice(separator + 1);
  const { values, positionals } = parseOwn(own);
  if (values.help === true || args.length === 0) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const [verb, name, ...rest] = positionals;
  if (verb !== 'lock')
    throw usage(verb === undefined ? 'say what to do: lock' : `unknown command "${verb}"; there is: lock`);
  if (name === undefined) throw usage('the name of the lock is missing');
  if (rest.length > 0 || command === undefined) throw usage(noCommand(args));
  const url = values.url ?? environment['COORDINATOR_URL'];
  if (url === undefined || url === '') throw usage('give --url, or set COORDINATOR_URL');
  const request: LockRequest = {
    name,
    url,
    timeoutMs: values.timeout === undefined ? undefined : readLimit(values.timeout, '--timeout'),
    tryOnly: values.try ?? false,
    killAfterMs:
      values['kill-after'] === undefined ? defaultKillAfterMs : readLimit(values['kill-after'], '--kill-after'),
    data: values.data,
    quiet: values.quiet ?? false,
    command,
    commandArguments,
  };
  return { kind: 'lock', request };
}

// A timer of Node.js that is longer fires at once.
const longestMs = 2_147_483_647;

function readLimit(text: string, option: string): number {
  const ms = parseDuration(text, option);
  if (ms > longestMs) throw usage(`${option}: at most 596h`);
  return ms;
}

function parseOwn(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: { type: 'string' },
        timeout: { type: 'string' },
        'kill-after': { type: 'string' },
        data: { type: 'string' },
        try: { type: 'boolean' },
        quiet: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    // What Node adds is about a way to write arguments that there is no use for here.
    throw usage(
      error instanceof Error ? error.message.replace(/\. To specify .*/s, '') : 'the arguments cannot be read',
    );
  }
}

function noCommand(args: readonly string[]): string {
  return args.at(-1) === '--' ? 'the command behind -- is missing' : 'write -- before the command to run';
}

function usage(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
