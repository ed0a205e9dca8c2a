import {
  type Backend,
  Call,
  type Child,
  type Consistency,
  type DeleteOptions,
  type DeleteResult,
  type Entry,
  type Kind,
  type Place,
  type PutOptions,
  type PutResult,
  type Ref,
  type Register,
  type Rule,
  type Session,
  systemClock,
} from '@concordat/core/spi';
import type { Link } from './harness.js';
import { Recorder } from './recorder.js';

const encoder = new TextEncoder();

export interface EnterOptions {
  readonly kind?: Kind;
  readonly data?: string | Uint8Array;
  readonly rule?: Rule;
  readonly signal?: AbortSignal;
  readonly epoch?: number;
}

/** A backend as core would use it, with short forms for tests: every call waits for the session, and has a limit. */
export class StoreClient {
  constructor(
    readonly backend: Backend,
    readonly session: Session,
    readonly link: Link,
    readonly requestTimeoutMs: number,
  ) {}

  get id(): string {
    return this.session.state.id ?? '';
  }

  call(): Call {
    return new Call(systemClock.now() + this.requestTimeoutMs);
  }

  async confirm(): Promise<void> {
    await this.session.connected();
    await this.backend.confirm(this.call());
  }

  async get(key: string, consistency: Consistency = 'linearizable'): Promise<Register | null> {
    await this.session.connected();
    return this.backend.get(key, consistency, this.call());
  }

  async put(key: string, value: string | Uint8Array, options: PutOptions = { expect: 'any' }): Promise<PutResult> {
    await this.session.connected();
    return this.backend.put(key, toBytes(value), options, this.call());
  }

  /** A put that has to succeed. */
  async store(key: string, value: string | Uint8Array, options?: PutOptions): Promise<Register> {
    const result = await this.put(key, value, options);
    if (!result.stored) throw new Error(`${key} was not stored`);
    return result.register;
  }

  async delete(key: string, options: DeleteOptions = {}): Promise<DeleteResult> {
    await this.session.connected();
    return this.backend.delete(key, options, this.call());
  }

  async purge(key: string): Promise<void> {
    await this.session.connected();
    await this.backend.purge(key, this.call());
  }

  async children(dir: string): Promise<readonly string[]> {
    await this.session.connected();
    return this.backend.children(dir, this.call());
  }

  watch(key: string): Recorder<Register | null> {
    return new Recorder(this.backend.watch(key));
  }

  watchChildren(dir: string, data: boolean): Recorder<readonly Child[]> {
    return new Recorder(this.backend.watchChildren(dir, { data }));
  }

  async enter(dir: string, options: EnterOptions = {}): Promise<Place> {
    const epoch = options.epoch ?? (await this.session.connected());
    const signal = options.signal ?? new AbortController().signal;
    const { kind = 'lock', data = 'me', rule = { limit: 1 } } = options;
    return this.backend.enter(dir, kind, toBytes(data), rule, { epoch, signal });
  }

  async ahead(entry: Entry, rule: Rule = { limit: 1 }): Promise<readonly Ref[] | null> {
    await this.session.connected();
    return this.backend.ahead(entry, rule, this.call());
  }

  gone(ref: Ref | Entry, touched = false): Recorder<'gone' | 'touched'> {
    return new Recorder(this.backend.gone(ref, { touched }));
  }

  async update(entry: Entry, data: string | Uint8Array): Promise<void> {
    await this.session.connected();
    await this.backend.update(entry, toBytes(data), this.call());
  }

  async leave(entry: Entry): Promise<void> {
    await this.session.connected();
    await this.backend.leave(entry, this.call());
  }

  async first(dir: string): Promise<Child | null> {
    await this.session.connected();
    return this.backend.first(dir, this.call());
  }
}

export function toBytes(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? encoder.encode(value) : value;
}

/** The value of a register as text, or `null` when it is absent. */
export function textOf(register: Register | null | undefined): string | null {
  return register == null ? null : new TextDecoder().decode(register.value);
}
