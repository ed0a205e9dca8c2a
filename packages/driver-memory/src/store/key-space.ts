import { directoryOf, nameOf } from './paths.js';
import type { Stored } from './protocol.js';

/** Told of each change, in order: the key, and what is there now. */
export type ChangeListener = (key: string, stored: Stored | null) => void;

/** Everything in a store at one moment. */
export interface KeySnapshot {
  readonly revision: bigint;
  /** Those of one directory oldest first. */
  readonly stored: readonly Stored[];
}

/** The store's data: every key with its versions, in one total order of changes. */
export class KeySpace {
  // A map keeps the order of insertion, which is the order of creation: an overwritten key keeps its place.
  readonly #directories = new Map<string, Map<string, Stored>>();
  readonly #owned = new Map<string, Set<string>>();
  readonly #changed: ChangeListener;
  #revision = 0n;

  constructor(changed: ChangeListener, { revision, stored }: KeySnapshot) {
    this.#changed = changed;
    this.#revision = revision;
    for (const one of stored) this.#put(one);
  }

  /** What is in it now. What the store keeps is never changed in place. */
  get snapshot(): KeySnapshot {
    const stored = [...this.#directories.values()].flatMap((children) => [...children.values()]);
    return { revision: this.#revision, stored };
  }

  /** How many changes there were. */
  get revision(): bigint {
    return this.#revision;
  }

  get(key: string): Stored | null {
    return this.#directories.get(directoryOf(key))?.get(nameOf(key)) ?? null;
  }

  /** Direct children, oldest first. */
  inDirectory(dir: string): readonly Stored[] {
    return [...(this.#directories.get(dir)?.values() ?? [])];
  }

  /** Every key, sorted. */
  keys(): readonly string[] {
    return this.snapshot.stored.map(({ key }) => key).sort();
  }

  /** Writes a key; `owner` counts only when this creates it. */
  set(key: string, value: Uint8Array, owner: string | null): Stored {
    const before = this.get(key);
    const version = ++this.#revision;
    const stored: Stored = {
      key,
      value,
      version,
      created: before?.created ?? version,
      owner: before === null ? owner : before.owner,
    };
    this.#put(stored);
    this.#changed(key, stored);
    return stored;
  }

  /** Removes a key, if it is there. */
  remove(key: string): void {
    const dir = directoryOf(key);
    const children = this.#directories.get(dir);
    const stored = children?.get(nameOf(key));
    if (children === undefined || stored === undefined) return;
    children.delete(nameOf(key));
    if (children.size === 0) this.#directories.delete(dir);
    if (stored.owner !== null) this.#owned.get(stored.owner)?.delete(key);
    this.#revision++;
    this.#changed(key, null);
  }

  /** Removes everything that a session owns. */
  removeOwnedBy(owner: string): void {
    const keys = [...(this.#owned.get(owner) ?? [])];
    this.#owned.delete(owner);
    for (const key of keys) this.remove(key);
  }

  #put(stored: Stored): void {
    const { key, owner } = stored;
    childrenOf(this.#directories, directoryOf(key)).set(nameOf(key), stored);
    if (owner === null) return;
    const keys = this.#owned.get(owner) ?? new Set();
    this.#owned.set(owner, keys.add(key));
  }
}

function childrenOf(directories: Map<string, Map<string, Stored>>, dir: string): Map<string, Stored> {
  const known = directories.get(dir);
  if (known !== undefined) return known;
  const children = new Map<string, Stored>();
  directories.set(dir, children);
  return children;
}
