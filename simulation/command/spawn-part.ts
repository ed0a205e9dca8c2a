import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Part, PartReport } from './part.js';

/**
 * Runs a part of the seeds in a process of its own; answers its exit code.
 *
 * @param program the compiled `part-process.js`, with options of Node.js before it.
 * @param limitMs after which it is ended, in milliseconds; 0: never.
 */
export async function spawnPart(
  program: readonly string[],
  { from, end, step, twiceEvery, stop }: Part,
  tell: (report: PartReport) => void,
  limitMs = 0,
): Promise<number> {
  const args = [...program, ...[from, end, step, twiceEvery].map(String), ...(stop ? ['stop'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: limitMs });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) tell(JSON.parse(line) as PartReport);
  const [code] = (await exited) as [number | null];
  return code ?? 1;
}
