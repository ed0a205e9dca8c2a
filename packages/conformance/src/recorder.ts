import { inspect } from 'node:util';
import type { Observable, Subscription } from 'rxjs';
import { eventually } from './eventually.js';

/** Writes down everything a stream says. */
export class Recorder<T> {
  readonly values: T[] = [];
  #error: { readonly reason: unknown } | null = null;
  #completed = false;
  readonly #subscription: Subscription;

  constructor(stream: Observable<T>) {
    this.#subscription = stream.subscribe({
      next: (value) => this.values.push(value),
      error: (reason: unknown) => {
        this.#error = { reason };
      },
      complete: () => {
        this.#completed = true;
      },
    });
  }

  get last(): T | undefined {
    return this.values.at(-1);
  }

  get completed(): boolean {
    return this.#completed;
  }

  /** Why the stream failed, or `undefined` while it has not. */
  get reason(): unknown {
    return this.#error?.reason;
  }

  /** True once it completed or failed. */
  get ended(): boolean {
    return this.#completed || this.#error !== null;
  }

  /** Waits for the first value that is as wanted. */
  first(wanted: (value: T) => boolean, withinMs?: number): Promise<T> {
    return eventually(() => {
      for (const value of this.values) if (wanted(value)) return value;
      throw new Error(`no such value among ${inspect(this.values.slice(-8), { depth: 3 })}`);
    }, withinMs);
  }

  /** Waits until the latest value is as wanted. */
  settles(wanted: (value: T) => boolean, withinMs?: number): Promise<T> {
    return eventually(() => {
      const latest = this.values.slice(-1);
      for (const value of latest) if (wanted(value)) return value;
      throw new Error(`the latest value is not the wanted one: ${inspect(latest, { depth: 3 })}`);
    }, withinMs);
  }

  /** Waits until the stream completed or failed. */
  end(withinMs?: number): Promise<void> {
    return eventually(() => {
      if (!this.ended) throw new Error('the stream goes on');
    }, withinMs);
  }

  stop(): void {
    this.#subscription.unsubscribe();
  }
}
