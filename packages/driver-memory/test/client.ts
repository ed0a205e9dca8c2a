import type { Entry, Ref } from '@concordat/core/spi';
import {
  type Backend,
  Call,
  CoordinationError,
  type OpenOptions,
  Session,
  type SessionPhase,
} from '@concordat/core/spi';
import { type MemoryLink, type MemoryStore, memory } from '../src/index.js';
import { type ManualClock, settled } from './manual-clock.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const bytes = (text: string): Uint8Array => encoder.encode(text);
export const text = (value: Uint8Array | undefined): string | undefined => value && decoder.decode(value);

/** One coordinator's backend, session and link, as core would hold them. */
export class Client {
  readonly link: MemoryLink;
  readonly session: Session;
  readonly backend: Backend;
  readonly phases: string[] = [];
  readonly #clock: ManualClock;

  constructor(store: MemoryStore, clock: ManualClock, sessionTimeoutMs = 12_000) {
    this.#clock = clock;
    this.link = store.link();
    this.session = new Session({ clock });
    this.session.state$.subscribe(({ state, epoch }) => this.phases.push(`${state} ${epoch}`));
    const options: OpenOptions = {
      hosts: [],
      namespace: 'app',
      sessionTimeoutMs,
      requestTimeoutMs: Math.min(5_000, sessionTimeoutMs / 3),
      credentials: null,
      tls: null,
      clock,
      session: this.session,
      storeName: this.link.address,
      extra: {},
    };
    this.backend = memory.open(options);
  }

  static async connected(store: MemoryStore, clock: ManualClock, sessionTimeoutMs?: number): Promise<Client> {
    const client = new Client(store, clock, sessionTimeoutMs);
    await settled();
    return client;
  }

  get phase(): SessionPhase {
    return this.session.state.state;
  }

  get id(): string {
    return this.session.state.id ?? '';
  }

  call(): Call {
    return new Call(this.#clock.now() + 4_000);
  }

  context(signal: AbortSignal = new AbortController().signal): { epoch: number; signal: AbortSignal } {
    return { epoch: this.session.epoch, signal };
  }

  /** As core closes: first the session, then the backend. */
  async close(): Promise<void> {
    this.session.close();
    const closed = this.backend.close(1_000);
    await settled();
    await closed;
  }
}

/** The code of the error that `promise` rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => (CoordinationError.is(error) ? error.code : 'another error'),
  );
}

/** An entry as others see it: watched at once, where one's own is watched later. */
export function refOf({ dir, name, kind, created, seen }: Entry): Ref {
  return { dir, name, kind, created, seen };
}
