import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The files of one server: its data, its configuration and its log. In memory where the machine offers 2 GiB of that, unless
 * `CONCORDAT_SERVER_DIRECTORY` names a place: benchmarks want a disk, since stores without one look faster than they are.
 */
export class DataDirectory {
  readonly root: string;
  readonly data: string;
  readonly log: string;
  #copies = 0;

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

  /** Copies the data, and resolves with where the copy is; it is removed with the rest. */
  async copy(): Promise<string> {
    this.#copies += 1;
    const copy = join(this.root, `copy-${String(this.#copies)}`);
    await cp(this.data, copy, { recursive: true });
    return copy;
  }

  /** Puts a copy in the place of the data. */
  async replace(copy: string): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    await cp(copy, this.data, { recursive: true });
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

const memory = '/dev/shm';
// Three servers of etcd with a copy each: it takes 128 MB for its log alone. Containers have 64 MB unless they are given more.
const enough = 2 * 1024 ** 3;

// Both stores sync each write to disk, which takes tens of milliseconds on some machines.
function fastestPlace(): string {
  const given = process.env['CONCORDAT_SERVER_DIRECTORY'];
  if (given) return given;
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
