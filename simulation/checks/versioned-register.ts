import { json, type Versioned } from '@concordat/core';
import type { Client } from '../world/client.js';
import type { Outcome } from '../world/outcome.js';
import type { Fact } from '../world/store-truth.js';
import type { World } from '../world/world.js';
import { RegisterHistory, type Span } from './register-history.js';

/** What is written: which call wrote it, and a count. */
export interface Note {
  readonly id: string;
  readonly count: number;
}

/**
 * One register that everybody reads and writes, checked for linearizability against the store's own order: what a call answered has to
 * be the state at some moment between its beginning and its end, and what a call denied to have written must never show.
 */
export class VersionedRegister {
  readonly path: string;
  readonly history: RegisterHistory<Note>;
  readonly #world: World;
  readonly #counts: boolean;
  readonly #written = new Map<string, Span<Note>>();
  readonly #denied = new Set<string>();
  #calls = 0;

  /** @param counts whether every write is an increment. */
  constructor(world: World, path: string, counts: boolean) {
    this.path = path;
    this.#world = world;
    this.#counts = counts;
    this.history = new RegisterHistory(world, 'config', path, noteOf, (now, before) => this.#changed(now, before));
  }

  /** One call that begins now. */
  call(client: Client): RegisterCall {
    return new RegisterCall(this, client, `${client.name}#${++this.#calls}`);
  }

  writtenBy(id: string): Span<Note> | null {
    return this.#written.get(id) ?? null;
  }

  /** The call of that id wrote nothing, and never will. */
  deny(id: string): void {
    this.#denied.add(id);
    if (this.#written.has(id)) this.#report('denied-and-written', id);
  }

  #changed(now: Span<Note>, before: Span<Note>): void {
    const note = now.state;
    if (note === null) return;
    this.#world.findings.count('config written');
    if (this.#written.has(note.id)) this.#report('written-twice', note.id);
    if (this.#denied.has(note.id)) this.#report('denied-and-written', note.id);
    this.#written.set(note.id, now);
    if (this.#counts && note.count !== (before.state?.count ?? 0) + 1)
      this.#report('lost-update', `${note.id} wrote ${note.count} over ${before.state?.count ?? 'nothing'}`);
  }

  #report(rule: string, detail: string): void {
    this.#world.findings.report(rule, `${this.path}: ${detail}`);
  }
}

/** One call on a register, from its beginning to its end. */
class RegisterCall {
  readonly #register: VersionedRegister;
  readonly #client: Client;
  readonly #id: string;
  readonly #since: number;
  readonly #startedAt: number;

  constructor(register: VersionedRegister, client: Client, id: string) {
    this.#register = register;
    this.#client = client;
    this.#id = id;
    this.#since = client.world.scheduler.now;
    this.#startedAt = client.process.clock.now();
  }

  /** What this call writes. */
  note(count: number): Note {
    return { id: this.#id, count };
  }

  /** It answered what it read. */
  read(value: Versioned<Note> | undefined): void {
    const version = value?.version ?? null;
    const seen = this.#seen().filter((span) => span.version === version);
    if (seen.length === 0)
      this.#report('stale-read', `${this.#id} read ${version ?? 'nothing'}, which is older than the call`);
    else if (seen.every(({ state }) => state?.id !== value?.value.id))
      this.#report('wrong-read', `${this.#id} read ${value?.value.id ?? 'nothing'}`);
  }

  /**
   * It ended: what it says of its write has to be so.
   *
   * @param over the version that it was to replace, where it named one; `null` for absence.
   */
  wrote<T>(outcome: Outcome<T>, versionOf: (value: T) => bigint, over?: bigint | null): void {
    const { history } = this.#register;
    const written = this.#register.writtenBy(this.#id);
    if (written !== null && over !== undefined && history.before(written)?.version !== over)
      this.#report('lost-update', `${this.#id} was to replace ${over ?? 'nothing'}`);
    if ('value' in outcome) {
      if (written === null || written.version !== versionOf(outcome.value))
        this.#report('acknowledged-and-not-written', this.#id);
    } else {
      if (saysNothingWritten(outcome)) this.#register.deny(this.#id);
      if (outcome.code === 'CONFLICT' && over !== undefined && this.#seen().every(({ version }) => version === over))
        this.#report(
          'conflict-without-cause',
          `${this.#id} was to replace ${over ?? 'nothing'}, which stood all the time`,
        );
      this.failed(outcome);
    }
  }

  /** It ended, and was to remove what is there. */
  removed(outcome: Outcome<unknown>): void {
    if (!('value' in outcome)) this.failed(outcome);
    else if (this.#seen().every(({ state }) => state !== null))
      this.#report('acknowledged-and-not-written', `${this.#id} removed it, and it was there all the time`);
  }

  /** It ended without a value: not before its time. */
  failed({ code }: { readonly code: string }): void {
    const waitedMs = this.#client.process.clock.now() - this.#startedAt;
    if (code === 'UNAVAILABLE' && waitedMs < this.#client.requestTimeoutMs)
      this.#report('gave-up-too-early', `${this.#id} after ${waitedMs.toFixed(0)} ms`);
  }

  /** What was there between its beginning and now. */
  #seen(): readonly Span<Note>[] {
    return this.#register.history.since(this.#since);
  }

  #report(rule: string, detail: string): void {
    this.#client.report(rule, `${this.#register.path}: ${detail}`);
  }
}

function saysNothingWritten({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return code === 'UNAVAILABLE' || code === 'CONFLICT' || message.includes('nothing was written');
}

function noteOf({ value }: Fact): Note {
  const { id, count } = Object(json.decode(value)) as Partial<Note>;
  return { id: String(id), count: Number(count) };
}
