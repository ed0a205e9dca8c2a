/**
 * Which of my entries are first in line, as far as the order of events proves it.
 *
 * Where exactly one entry was ahead of mine and the server told that it is gone, nothing is ahead any more: whoever comes later stands behind. That
 * my own entry is still there is not known here: its armed watch says so, since the server tells changes in their order.
 */
export class LineHeads {
  readonly #aheadOf = new Map<string, string>();
  readonly #behind = new Map<string, Set<string>>();
  readonly #first = new Set<string>();

  /** A listing showed `ahead`, and nothing else, ahead of my entry `name`. */
  standsBehind(name: string, ahead: string): void {
    this.forget(name);
    this.#aheadOf.set(name, ahead);
    const there = this.#behind.get(ahead) ?? new Set();
    this.#behind.set(ahead, there.add(name));
  }

  /** The server told that an entry is gone. */
  gone(ahead: string): void {
    for (const name of this.#behind.get(ahead) ?? []) {
      this.#aheadOf.delete(name);
      this.#first.add(name);
    }
    this.#behind.delete(ahead);
  }

  isFirst(name: string): boolean {
    return this.#first.has(name);
  }

  /** My entry is granted, or leaves. */
  forget(name: string): void {
    this.#first.delete(name);
    const ahead = this.#aheadOf.get(name);
    if (ahead === undefined) return;
    this.#aheadOf.delete(name);
    const there = this.#behind.get(ahead);
    if (there?.delete(name) === true && there.size === 0) this.#behind.delete(ahead);
  }

  /** Another connection: events of the one before may be missing. */
  clear(): void {
    this.#aheadOf.clear();
    this.#behind.clear();
    this.#first.clear();
  }
}
