import { inspect } from 'node:util';
import { CoordinationError, type Coordinator, type CoordinatorOptions } from '@concordat/core';
import { expect } from 'vitest';
import { opened, reasonOf } from './coordinators.js';

/** Keeps everything that anybody could log of coordinators: errors, events, states, and what an inspection shows. */
export class Witness {
  readonly codes = new Set<string>();
  readonly types = new Set<string>();
  #seen = '';

  /** Expects that none of these texts was seen, in errors of these codes among others. */
  expectNone(secrets: readonly string[], codes: readonly string[]): void {
    expect([...this.codes]).toEqual(expect.arrayContaining([...codes]));
    expect(this.#found(secrets)).toEqual([]);
    // Nor would one of them be overlooked.
    this.saw({ one: { of: [new Error('it', { cause: { them: secrets } })] } });
    expect(this.#found(secrets)).toEqual(secrets);
  }

  /** Returns what it was shown. */
  saw<Value>(value: Value): Value {
    if (CoordinationError.is(value)) this.codes.add(value.code);
    this.#seen += `${inspect(value, { depth: 10, showHidden: true, maxStringLength: null })}\n`;
    if (value instanceof Error) this.#seen += `${value.message}\n${String(value.stack)}\n${JSON.stringify(value)}\n`;
    if (value instanceof Error && value.cause !== undefined) this.saw(value.cause);
    return value;
  }

  /** A coordinator that is watched until it is closed. */
  open(options: CoordinatorOptions): Coordinator {
    const coordinator = opened(options);
    coordinator.events$.subscribe((event) => {
      this.types.add(event.type);
      this.saw(event);
    });
    coordinator.session$.subscribe((state) => this.saw(state));
    return this.saw(coordinator);
  }

  /** Uses a coordinator for everything that may fail, then closes it. */
  async use(options: CoordinatorOptions): Promise<void> {
    const coordinator = this.open(options);
    const asked = [
      coordinator.ready({ timeoutMs: 10_000 }),
      coordinator.config('a').set(1),
      coordinator.config('a').get(),
      coordinator.lock('a').acquire({ timeoutMs: 10_000 }),
      coordinator.group('a').join('me', {}, { timeoutMs: 10_000 }),
    ];
    for (const reason of await Promise.all(asked.map(reasonOf))) this.saw(reason);
    this.saw(coordinator);
    await coordinator.close();
    this.saw(await reasonOf(coordinator.config('a').get()));
    this.saw(coordinator);
  }

  #found(texts: readonly string[]): readonly string[] {
    return texts.filter((text) => this.#seen.includes(text));
  }
}
