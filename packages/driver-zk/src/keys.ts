import type { Key } from '@concordat/core/spi';

/**
 * Where keys live in the tree. The namespace is a prefix of every path, not a chroot of the connection: with a missing chroot not even
 * `/` exists (CURATOR-50, -280, -357).
 */
export class Paths {
  readonly #root: string;

  /** @param namespace segments joined by `/`; may be empty. */
  constructor(namespace: string) {
    this.#root = namespace === '' ? '' : `/${namespace}`;
  }

  of(key: Key): string {
    if (key === '') return this.#root === '' ? '/' : this.#root;
    return `${this.#root}/${key}`;
  }

  /** The ephemeral node that a session proves itself with. */
  session(id: string): string {
    return this.of(`session/${id}`);
  }
}

/** The directory of a path; `/` for a top one. */
export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

/** The child of a directory. */
export function childOf(dir: string, name: string): string {
  return dir === '/' ? `/${name}` : `${dir}/${name}`;
}

/** A directory and all above it, the topmost first; the root is always there. */
export function lineage(dir: string): readonly string[] {
  const segments = dir.split('/').filter((segment) => segment !== '');
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
