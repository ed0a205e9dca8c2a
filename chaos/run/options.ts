import { parseArgs } from 'node:util';
import { parseDuration } from 'concordat';

/** What a run was told. */
export interface RunOptions {
  readonly backend: 'etcd' | 'zookeeper';
  readonly minutes: number;
  readonly seed: number;
  readonly clients: number;
  readonly sessionTimeoutMs: number;
  /** Where the journals and the report are left; a new folder of its own when nothing is said. */
  readonly out: string | null;
}

export const usage = `npm run chaos -- --backend etcd|zookeeper [--minutes 5] [--seed 7] [--clients 5] [--session-timeout 6s] [--out FOLDER]`;

/** @throws {Error} with the usage, when something is missing or unknown. */
export function readOptions(args: readonly string[]): RunOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { backend: text, minutes: text, seed: text, clients: text, 'session-timeout': text, out: text },
  });
  const { backend } = values;
  if (backend !== 'etcd' && backend !== 'zookeeper') throw new Error(usage);
  const number = (name: 'minutes' | 'seed' | 'clients', fallback: number): number => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} has to be a number above 0\n${usage}`);
    return value;
  };
  return {
    backend,
    minutes: number('minutes', 5),
    seed: number('seed', 7),
    clients: number('clients', 5),
    sessionTimeoutMs: parseDuration(values['session-timeout'] ?? '6s', '--session-timeout'),
    out: values.out ?? null,
  };
}
