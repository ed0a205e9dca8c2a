import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nowMs } from './clock.js';
import type { Line } from './records.js';

type Entry = Line extends infer Each ? (Each extends Line ? Omit<Each, 'at' | 'by'> : never) : never;

/** What one process writes down, a line at a time: whatever ends it, what it wrote before stays. */
export class Journal {
  readonly #file: number;
  readonly #by: string;

  constructor(directory: string, by: string) {
    this.#file = openSync(join(directory, `${by}.jsonl`), 'a');
    this.#by = by;
  }

  /** Writes it down, as of now or of another time, and answers that. */
  write(entry: Entry, by = this.#by, at = nowMs()): number {
    writeSync(this.#file, `${JSON.stringify({ at, by, ...entry })}\n`);
    return at;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Every line of every journal in a directory, in the order of time. A line that its writer did not finish is left out. */
export function readJournals(directory: string): readonly Line[] {
  const lines: Line[] = [];
  for (const name of readdirSync(directory)) {
    if (!name.endsWith('.jsonl')) continue;
    for (const text of readFileSync(join(directory, name), 'utf8').split('\n')) {
      if (text.endsWith('}')) lines.push(JSON.parse(text) as Line);
    }
  }
  return lines.sort((one, other) => one.at - other.at);
}
