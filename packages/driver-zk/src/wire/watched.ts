import type { NodeEvent } from '../connection.js';
import type { JuteWriter } from './jute-writer.js';
import { textBytes } from './jute-writer.js';
import type { Operation } from './operations.js';
import { operation } from './protocol.js';

/** Kinds of one-shot watches, as setWatches tells them apart. */
const kinds = ['data', 'exist', 'child'] as const;
export type WatchedKind = (typeof kinds)[number];

/** Far below the server's limit of 1 MiB for a request, where it would close the connection (ZOOKEEPER-706). */
const longestChunk = 128 * 1024;

/** The one-shot watches that the server keeps for a session, as far as this side knows, so that its next connection can take them over. */
export class Watched {
  readonly #paths: Readonly<Record<WatchedKind, Set<string>>> = { data: new Set(), exist: new Set(), child: new Set() };

  add(kind: WatchedKind, path: string): void {
    this.#paths[kind].add(path);
  }

  /** It fired. */
  fired({ type, path }: NodeEvent): void {
    if (type !== 'child') {
      this.#paths.data.delete(path);
      this.#paths.exist.delete(path);
    }
    if (type === 'child' || type === 'deleted') this.#paths.child.delete(path);
  }

  /** @returns whether there was any. */
  remove(path: string): boolean {
    return kinds.map((kind) => this.#paths[kind].delete(path)).includes(true);
  }

  /**
   * What puts all of them in force on another connection: whatever changed after `seen` is told at once. In chunks, each well below
   * the limit of a request.
   */
  restoring(seen: bigint): readonly Operation<null>[] {
    const chunks: Record<WatchedKind, string[]>[] = [];
    let left = 0;
    for (const kind of kinds) {
      for (const path of this.#paths[kind]) {
        if (textBytes(path) > left) {
          chunks.push({ data: [], exist: [], child: [] });
          left = longestChunk;
        }
        left -= textBytes(path);
        chunks[chunks.length - 1]?.[kind].push(path);
      }
    }
    return chunks.map((chunk) => setWatches(seen, chunk));
  }
}

function setWatches(seen: bigint, paths: Readonly<Record<WatchedKind, readonly string[]>>): Operation<null> {
  const all = kinds.flatMap((kind) => paths[kind]);
  return {
    code: operation.setWatches,
    bytes: 20 + all.reduce((sum, path) => sum + textBytes(path), 0),
    write: (out: JuteWriter) => void out.long(seen).texts(paths.data).texts(paths.exist).texts(paths.child),
    read: () => null,
  };
}
