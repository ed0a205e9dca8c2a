import type { Line, Primitive } from '../../records.js';

/** A journal made by hand, one thing after the other; times are given, in milliseconds. */
export class Story {
  readonly lines: Line[] = [];

  call(
    op: string,
    at: number,
    rest: { action: 'get' | 'set' | 'acquire'; name?: string; value?: string; expect?: string; limitMs?: number },
  ): this {
    return this.#add({ kind: 'call', op, at, by: 'a', name: 'x', limitMs: 1_000, ...rest });
  }

  end(
    op: string,
    at: number,
    rest: { outcome?: 'ok' | 'refused' | 'unknown'; code?: string; version?: string | null; value?: string } = {},
  ): this {
    return this.#add({ kind: 'return', op, at, by: 'a', outcome: 'ok', ...rest });
  }

  /** A write that was done: its value is its name. */
  set(op: string, from: number, to: number, version: string, expect?: string): this {
    return this.call(op, from, { action: 'set', value: op, ...(expect === undefined ? {} : { expect }) }).end(op, to, {
      version,
    });
  }

  get(op: string, from: number, to: number, version: string, value: string): this {
    return this.call(op, from, { action: 'get' }).end(op, to, { version, value });
  }

  /** A grant whose holder was last assured of it at `until`. */
  hold(
    grant: string,
    token: string,
    [calledAt, at, until]: readonly [number, number, number],
    rest: Partial<Held> = {},
  ): this {
    const { primitive = 'lock', permits = 1, why } = rest;
    this.#add({ kind: 'granted', grant, token, calledAt, at, by: grant, primitive, name: 'n', permits });
    this.#add({ kind: 'asserted', grant, at: until, by: grant });
    return why === undefined ? this : this.#add({ kind: 'over', grant, at: until, by: grant, why });
  }

  wrote(grant: string, token: string, at: number, isAccepted = true): this {
    return this.#add({ kind: 'written', resource: 'r', grant, token, isAccepted, at, by: grant });
  }

  saw(
    by: string,
    version: string | null,
    at: number,
    value: string | null = version,
    what: 'config' | 'leader' = 'config',
  ): this {
    return this.#add({ kind: 'seen', what, name: 'x', by, version, value, at });
  }

  queue(tokens: readonly string[], at: number, permits = 1): this {
    return this.#add({ kind: 'queue', primitive: 'lock', name: 'n', permits, tokens, at, by: 'o' });
  }

  final(shown: string | null, stored: string | null, at: number): this {
    return this.#add({ kind: 'final', what: 'config', name: 'x', by: 'a', shown, stored, at });
  }

  process(by: string, state: 'started' | 'stopped' | 'continued' | 'killed' | 'crashed' | 'ended', at: number): this {
    return this.#add({ kind: 'process', by, state, at });
  }

  phase(phase: 'faults' | 'healed' | 'settled' | 'done', at: number): this {
    return this.#add({ kind: 'phase', phase, at, by: 'run' });
  }

  session(by: string, at: number, reason: string): this {
    return this.#add({ kind: 'session', by, at, state: 'lost', epoch: 1, reason });
  }

  fault(fault: string, from: number, to: number): this {
    this.#add({ kind: 'fault', fault, on: ['m'], phase: 'begin', at: from, by: 'run' });
    return this.#add({ kind: 'fault', fault, on: ['m'], phase: 'end', at: to, by: 'run' });
  }

  server(version: string): this {
    return this.#add({ kind: 'server', version, at: 0, by: 'run' });
  }

  store(leader: string | null, at: number): this {
    return this.#add({ kind: 'store', leader, at, by: 'run' });
  }

  #add(line: Line): this {
    this.lines.push(line);
    this.lines.sort((one, other) => one.at - other.at);
    return this;
  }
}

interface Held {
  readonly primitive: Primitive;
  readonly permits: number;
  readonly why: 'released' | 'lost' | 'closed';
}
