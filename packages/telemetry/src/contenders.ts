import type { LineEvent } from '@concordat/core';

/** One contender of this process while it stands in a line or holds. */
export interface Tracked<T> {
  readonly epoch: number;
  readonly sinceMs: number;
  readonly what: T;
}

/** Who stands or holds, by entry. What a session left without another word is dropped with the next session. */
export class Contenders<T> {
  readonly #byEntry = new Map<string, Tracked<T>>();

  add(event: LineEvent, what: T): void {
    this.#byEntry.set(keyOf(event), { epoch: event.epoch, sinceMs: event.atMs, what });
  }

  /** Takes one out; `undefined` when it is not known. */
  take(event: LineEvent): T | undefined {
    const key = keyOf(event);
    const tracked = this.#byEntry.get(key);
    this.#byEntry.delete(key);
    return tracked?.what;
  }

  /** Takes out everybody of an earlier epoch. */
  takeBefore(epoch: number): readonly T[] {
    const gone = [...this.#byEntry].filter(([, tracked]) => tracked.epoch < epoch);
    for (const [key] of gone) this.#byEntry.delete(key);
    return gone.map(([, { what }]) => what);
  }

  [Symbol.iterator](): Iterator<Tracked<T>> {
    return this.#byEntry.values();
  }
}

function keyOf({ primitive, name, entry }: LineEvent): string {
  return `${primitive} ${entry ?? ''} ${name}`;
}
