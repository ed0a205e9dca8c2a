import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Full path of a program, looked for in `PATH` and in the places given; `null` when there is none. */
export function findExecutable(name: string, ...places: readonly string[]): string | null {
  const { PATH = '' } = process.env;
  const folders = [...places, ...PATH.split(delimiter), '/usr/local/bin', '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
