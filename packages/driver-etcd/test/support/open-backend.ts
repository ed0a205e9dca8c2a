import { type Backend, Call, type OpenOptions, Session, systemClock } from '@concordat/core/spi';
import { etcd } from '../../src/index.js';

export interface Opened {
  readonly backend: Backend;
  readonly session: Session;
  /** A request with the limit of this backend. */
  call(): Call;
  close(): Promise<void>;
}

let namespaces = 0;

/** A namespace that no other test uses. */
export function freshNamespace(): string {
  namespaces += 1;
  return `test-${String(process.pid)}-${String(namespaces)}`;
}

/** A backend of this driver with the session that core would hand to it. */
export function openBackend(hosts: readonly string[], options: Partial<OpenOptions> = {}): Opened {
  const session = new Session({ clock: systemClock });
  const sessionTimeoutMs = options.sessionTimeoutMs ?? 4_000;
  const requestTimeoutMs = options.requestTimeoutMs ?? sessionTimeoutMs / 3;
  const backend = etcd.open({
    hosts: hosts.map((host) => ({ host: host.split(':')[0] ?? '', port: Number(host.split(':')[1]) })),
    namespace: freshNamespace(),
    sessionTimeoutMs,
    requestTimeoutMs,
    credentials: null,
    tls: null,
    clock: systemClock,
    session,
    storeName: '',
    extra: {},
    ...options,
  });
  return {
    backend,
    session,
    call: () => new Call(systemClock.now() + requestTimeoutMs),
    close: () => {
      session.close();
      return backend.close(requestTimeoutMs);
    },
  };
}
