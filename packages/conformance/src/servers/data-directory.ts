import { accessSync, constants, mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The files of one server: its data, its configuration and its log. In memory where the machine offers that, unless
 * `CONCORDAT_SERVER_DIRECTORY` names a place: benchmarks want a disk, since stores without one look faster than they are.
 */
export class DataDirectory {
  readonly root: string;
  readonly data: string;
  readonly log: string;

  constructor(kind: string) {
    this.root = mkdtempSync(join(fastestPlace(), `concordat-${kind}-`));
    this.data = join(this.root, 'data');
    this.log = join(this.root, 'log');
  }

  /** Throws the data away; configuration and log stay. */
  async empty(): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    await mkdir(this.data);
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

// Both stores sync each write to disk, which takes tens of milliseconds on some machines.
function fastestPlace(): string {
  const given = process.env['CONCORDAT_SERVER_DIRECTORY'];
  if (given) return given;
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
