import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From its first words to its end, in milliseconds. */
  readonly lingeredMs: number;
}

/** Where ./programs are; they run what is compiled. */
export const programs = fileURLToPath(new URL('programs', import.meta.url));

/** The file of one of ./programs. */
export function program(name: string, folder = programs): string {
  return join(folder, `${name}.mjs`);
}

/** Runs a program as a process until it ends by itself. */
export async function run(file: string, argument: string): Promise<Ended> {
  const child = spawn(process.execPath, [file, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
  let spokeAt = 0;
  child.stdout.once('data', () => {
    spokeAt = performance.now();
  });
  const exited = once(child, 'exit').then(() => performance.now() - spokeAt);
  const [stdout, stderr, lingeredMs] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code: child.exitCode, stdout, stderr, lingeredMs };
}
