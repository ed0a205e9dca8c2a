import { createHash } from 'node:crypto';
import { contenderData } from '../../lines/contender-data.js';
import type { Queue } from '../../lines/queue.js';
import { decodeName, encodeName } from '../../names.js';
import type { Key } from '../../spi/backend.js';

/** Where one key has its record and its line. */
export interface KeyPlace {
  readonly key: string;
  readonly register: Key;
  readonly queue: Queue;
  /** For messages. */
  readonly what: string;
}

/** One of 256 directories of records, and the line in which sweepers stand for it. */
export interface Shard {
  readonly dir: Key;
  readonly queue: Queue;
}

/** Where a gate keeps what it knows: records in 256 directories, so that no listing grows too long. */
export class OncePlaces {
  readonly #name: string;
  readonly #root: Key;

  constructor(name: string) {
    this.#name = name;
    this.#root = `once/${encodeName(name)}`;
  }

  /** @throws {CoordinationError} `INVALID_ARGUMENT` for what is no name. */
  of(key: string): KeyPlace {
    const segment = encodeName(key);
    const what = `"${key}" of once "${this.#name}"`;
    const register = `${this.#root}/${shardOf(segment)}/${segment}`;
    return { key, register, what, queue: this.#queue(key, `lock/${segment}`) };
  }

  *shards(): Generator<Shard> {
    for (let byte = 0; byte < 256; byte++) {
      const shard = byte.toString(16).padStart(2, '0');
      yield { dir: `${this.#root}/${shard}`, queue: this.#queue(shard, `sweep/${shard}`) };
    }
  }

  /** @param what is told in events behind the gate's name. */
  #queue(what: string, line: string): Queue {
    const dir = `${this.#root}/${line}`;
    return {
      primitive: 'once',
      name: `${this.#name}/${what}`,
      dir,
      kind: 'lock',
      rule: { limit: 1 },
      data: contenderData(undefined),
    };
  }
}

/** The keys behind the names of records; what nobody of us could have written is left out. */
export function keysOf(segments: readonly string[]): readonly string[] {
  return segments.flatMap((segment) => {
    try {
      const key = decodeName(segment);
      return encodeName(key) === segment ? [key] : [];
    } catch {
      return [];
    }
  });
}

function shardOf(segment: string): string {
  return createHash('sha256').update(segment).digest('hex').slice(0, 2);
}
