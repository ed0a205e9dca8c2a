import { Call, type OpenOptions, Session, type SessionState, systemClock } from '@concordat/core/spi';
import { inject } from 'vitest';
import { ZooKeeperBackend } from '../../src/backend.js';
import { chooseTransport } from '../../src/transport.js';
import { eventually } from './eventually.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** What this run of the tests opens with: the transport. */
    readonly driverOptions: Readonly<Record<string, string>>;
  }
}

/** A backend and its session, opened as core opens it. */
export interface Opened {
  readonly backend: ZooKeeperBackend;
  readonly session: Session;
  /** Every state the session went through. */
  readonly states: readonly SessionState[];
  close(): Promise<void>;
}

export function open(ports: readonly number[], options: Partial<OpenOptions> = {}): Opened {
  const session = new Session({ clock: systemClock });
  const states: SessionState[] = [];
  session.state$.subscribe((state) => states.push(state));
  const sessionTimeoutMs = options.sessionTimeoutMs ?? 4_000;
  const given: OpenOptions = {
    hosts: ports.map((port) => ({ host: '127.0.0.1', port })),
    namespace: 'test/ns',
    sessionTimeoutMs,
    requestTimeoutMs: Math.min(5_000, sessionTimeoutMs / 3),
    credentials: null,
    tls: null,
    clock: systemClock,
    session,
    storeName: '',
    extra: inject('driverOptions'),
    ...options,
  };
  const backend = new ZooKeeperBackend(given, chooseTransport(given));
  return {
    backend,
    session,
    states,
    close: async () => {
      session.close();
      await backend.close(2_000);
    },
  };
}

export async function openConnected(ports: readonly number[], options: Partial<OpenOptions> = {}): Promise<Opened> {
  const opened = open(ports, options);
  await opened.session.connected();
  return opened;
}

export function call(): Call {
  return new Call(Number.POSITIVE_INFINITY);
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function text(value: Uint8Array | undefined): string {
  return new TextDecoder().decode(value);
}

/** What a stream has emitted so far. */
export function collect<Value>(stream: { subscribe(next: (value: Value) => void): { unsubscribe(): void } }): {
  readonly values: Value[];
  readonly last: () => Value | undefined;
  readonly stop: () => void;
} {
  const values: Value[] = [];
  const subscription = stream.subscribe((value) => values.push(value));
  return { values, last: () => values[values.length - 1], stop: () => subscription.unsubscribe() };
}

export async function connected({ session }: Opened): Promise<void> {
  await eventually(() => session.state.state === 'connected');
}
