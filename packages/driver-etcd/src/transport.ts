import type { Socket } from 'node:net';
import type { Host } from '@concordat/core/spi';
import * as grpc from '@grpc/grpc-js';
import type * as etcd from 'etcd3';
import { Host as Pool } from 'etcd3/lib/connection-pool.js';
import { isStaleToken } from './errors.js';
import { StatusError, status } from './protocol.js';

export type {
  ICompare as Compare,
  IEvent as Event,
  IKeyValue as KeyValue,
  ILeaseKeepAliveRequest as KeepAliveRequest,
  ILeaseKeepAliveResponse as KeepAliveReply,
  IRangeRequest as RangeRequest,
  IRangeResponse as RangeReply,
  IRequestOp as Operation,
  ITxnRequest as Transaction,
  ITxnResponse as TransactionReply,
  IWatchRequest as WatchRequest,
  IWatchResponse as WatchReply,
} from 'etcd3';
// Always these enums, which are numbers: the package takes a name it does not know silently for 0.
export { CompareResult, CompareTarget, FilterType, SortOrder, SortTarget } from 'etcd3/lib/rpc.js';

type Done<Reply> = (error: grpc.ServiceError | null, reply?: Reply) => void;
type Unary<Request, Reply> = (
  request: Request,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  done: Done<Reply>,
) => grpc.ClientUnaryCall;
type Open<Request, Reply> = (metadata: grpc.Metadata) => grpc.ClientDuplexStream<Request, Reply>;

interface Stubs {
  readonly KV: {
    range: Unary<etcd.IRangeRequest, etcd.IRangeResponse>;
    txn: Unary<etcd.ITxnRequest, etcd.ITxnResponse>;
    deleteRange: Unary<etcd.IDeleteRangeRequest, etcd.IDeleteRangeResponse>;
  };
  readonly Lease: {
    leaseGrant: Unary<etcd.ILeaseGrantRequest, etcd.ILeaseGrantResponse>;
    leaseRevoke: Unary<etcd.ILeaseRevokeRequest, etcd.ILeaseRevokeResponse>;
    leaseKeepAlive: Open<etcd.ILeaseKeepAliveRequest, etcd.ILeaseKeepAliveResponse>;
  };
  readonly Watch: { watch: Open<etcd.IWatchRequest, etcd.IWatchResponse> };
  readonly Auth: { authenticate: Unary<etcd.IAuthenticateRequest, etcd.IAuthenticateResponse> };
}

/** A stream in both directions; after `close`, which is idempotent, its listener hears nothing more. */
export interface Duplex<Request> {
  write(request: Request): void;
  close(): void;
}

export interface DuplexListener<Reply> {
  message(reply: Reply): void;
  /** Once, when the stream failed or the server ended it. */
  ended(error: StatusError): void;
}

export interface TransportOptions {
  readonly hosts: readonly Host[];
  readonly secure: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | null;
}

const channelOptions: grpc.ChannelOptions = {
  // etcd closes connections that ping more often than every 5 s ("excess pings"), again and again.
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
  // A catch-up batch over the default of 4 MiB would fail the watch stream each time it is opened.
  'grpc.max_receive_message_length': -1,
  // Nothing is retried below us, whatever a service config in the DNS says.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1_000,
};

const renewalLimitMs = 2_000;
const longestCallMs = 10_000;
let connections = 0;

/**
 * The one place that touches the client packages: raw calls and streams over one TCP connection to one of the hosts.
 *
 * Of npm `etcd3` it uses the stubs only: the package's retries apply writes twice, its breaker fails calls on a healthy server, and
 * its watcher loses events. Nothing here retries or fails over; whoever keeps the session asks for another connection.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #calls = new Set<grpc.ClientUnaryCall>();
  readonly #streams = new Map<(error: StatusError) => void, Pool>();
  readonly #sockets = new Map<Pool, Set<Socket>>();
  #metadata = new grpc.Metadata();
  #renewal: Promise<void> | null = null;
  #pool: Pool;
  #index: number;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#index = Math.floor(Math.random() * options.hosts.length);
    this.#pool = this.#connect();
  }

  /** Stands for the TCP connection that the next request will use. */
  get connection(): object {
    return this.#pool;
  }

  range(request: etcd.IRangeRequest, limitMs: number): Promise<etcd.IRangeResponse> {
    return this.#call((done) => this.#stub('KV').range(request, this.#metadata, within(limitMs), done));
  }

  txn(request: etcd.ITxnRequest, limitMs: number): Promise<etcd.ITxnResponse> {
    return this.#call((done) => this.#stub('KV').txn(request, this.#metadata, within(limitMs), done));
  }

  delete(key: Buffer, limitMs: number): Promise<etcd.IDeleteRangeResponse> {
    return this.#call((done) => this.#stub('KV').deleteRange({ key }, this.#metadata, within(limitMs), done));
  }

  /** @param id chosen by the client, so that a grant may be repeated when its reply was lost. */
  grantLease(id: string, seconds: number, limitMs: number): Promise<etcd.ILeaseGrantResponse> {
    const request = { ID: id, TTL: seconds };
    return this.#call((done) => this.#stub('Lease').leaseGrant(request, this.#metadata, within(limitMs), done));
  }

  revokeLease(id: string, limitMs: number): Promise<etcd.ILeaseRevokeResponse> {
    return this.#call((done) => this.#stub('Lease').leaseRevoke({ ID: id }, this.#metadata, within(limitMs), done));
  }

  keepAlive(listener: DuplexListener<etcd.ILeaseKeepAliveResponse>): Duplex<etcd.ILeaseKeepAliveRequest> {
    return this.#stream(this.#stub('Lease').leaseKeepAlive(this.#streamMetadata()), listener);
  }

  watch(listener: DuplexListener<etcd.IWatchResponse>): Duplex<etcd.IWatchRequest> {
    return this.#stream(this.#stub('Watch').watch(this.#streamMetadata()), listener);
  }

  /** Fetches a token for the credentials, where there are any. */
  async authenticate(limitMs: number): Promise<void> {
    const { credentials } = this.#options;
    if (credentials === null) return;
    const request = { name: credentials.username, password: credentials.password };
    const metadata = new grpc.Metadata();
    try {
      const { token } = await this.#once<etcd.IAuthenticateResponse>((done) =>
        this.#stub('Auth').authenticate(request, new grpc.Metadata(), within(limitMs), done),
      );
      metadata.set('token', token);
    } catch (error) {
      // A server without authentication wants no token; as Go's client does, go on without.
      if (!(error instanceof StatusError && error.code === status.failedPrecondition)) throw error;
    }
    this.#metadata = metadata;
  }

  /**
   * Turns to the next host, or to a new TCP connection when there is only one, unless `connection` was replaced before.
   * Streams of the old connection end; calls on it may still be answered until their limits.
   */
  replace(connection: object): void {
    const old = this.#pool;
    if (this.#closed || connection !== old) return;
    this.#index = (this.#index + 1) % this.#options.hosts.length;
    this.#pool = this.#connect();
    for (const [end, pool] of [...this.#streams])
      if (pool === old) end(new StatusError(status.unavailable, 'the connection was replaced'));
    closePool(old);
    // Its calls end by their own limits, and none is longer than this.
    const timer = setTimeout(() => this.#destroy(old), longestCallMs);
    timer.unref();
  }

  /** Cancels every call and stream, and closes the connection. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const call of [...this.#calls]) call.cancel();
    for (const end of [...this.#streams.keys()]) end(new StatusError(status.cancelled, 'the client was closed'));
    closePool(this.#pool);
    for (const pool of [...this.#sockets.keys()]) this.#destroy(pool);
  }

  #connect(): Pool {
    const { host, port } = this.#options.hosts[this.#index] ?? { host: '127.0.0.1', port: 2379 };
    connections += 1;
    // Equal options would share the TCP connection with every other client of this process, a dead one too.
    const options = { ...channelOptions, 'concordat.connection': connections };
    const sockets = new Set<Socket>();
    const security = this.#options.secure ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    const address = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
    const pool = new Pool(address, tracked(security, sockets), options);
    this.#sockets.set(pool, sockets);
    return pool;
  }

  #destroy(pool: Pool): void {
    for (const socket of this.#sockets.get(pool) ?? []) socket.destroy();
    this.#sockets.delete(pool);
  }

  #stub<Name extends keyof Stubs>(name: Name): Stubs[Name] {
    if (this.#closed) throw new StatusError(status.cancelled, 'the client was closed');
    return this.#pool.getServiceClient(name) as unknown as Stubs[Name];
  }

  // A member without a leader ends the stream instead of keeping silent.
  #streamMetadata(): grpc.Metadata {
    const metadata = this.#metadata.clone();
    metadata.set('hasleader', 'true');
    return metadata;
  }

  // A stale token is refused before anything is applied, so that repeating the call is safe, writes included.
  async #call<Reply>(start: (done: Done<Reply>) => grpc.ClientUnaryCall): Promise<Reply> {
    if (this.#options.credentials === null) return this.#once(start);
    try {
      return await this.#once(start);
    } catch (error) {
      if (!(error instanceof StatusError && isStaleToken(error))) throw error;
      this.#renewal ??= this.authenticate(renewalLimitMs).finally(() => (this.#renewal = null));
      await this.#renewal;
      return this.#once(start);
    }
  }

  #once<Reply>(start: (done: Done<Reply>) => grpc.ClientUnaryCall): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      const call = start((error, reply) => {
        this.#calls.delete(call);
        if (error !== null) reject(new StatusError(error.code, error.details));
        else if (reply === undefined) reject(new StatusError(status.internal, 'an empty reply'));
        else resolve(reply);
      });
      this.#calls.add(call);
    });
  }

  #stream<Request, Reply>(
    stream: grpc.ClientDuplexStream<Request, Reply>,
    listener: DuplexListener<Reply>,
  ): Duplex<Request> {
    const close = (): boolean => {
      stream.off('data', message);
      stream.cancel();
      return this.#streams.delete(end);
    };
    const end = (error: StatusError): void => {
      if (close()) listener.ended(error);
    };
    const message = (reply: Reply): void => listener.message(reply);
    this.#streams.set(end, this.#pool);
    stream.on('data', message);
    // Stays attached for good: the cancelled stream still emits an error.
    stream.on('error', (error: grpc.ServiceError) => end(new StatusError(error.code, error.details)));
    stream.on('end', () => end(new StatusError(status.unavailable, 'the server ended the stream')));
    return {
      write: (request) => void stream.write(request),
      close: () => void close(),
    };
  }
}

// The package keeps a channel that is still connecting for another second; one that is closed already it leaves alone.
function closePool(pool: Pool): void {
  for (const name of ['KV', 'Lease', 'Watch', 'Auth'] as const) pool.getServiceClient(name).close();
  pool.close();
}

/**
 * Keeps hold of the sockets of a channel. A closed channel forgets one whose server has not greeted yet (grpc-js never shuts its connector down):
 * a frozen server would cost a socket for each try, for as long as it is frozen.
 */
function tracked(security: grpc.ChannelCredentials, sockets: Set<Socket>): grpc.ChannelCredentials {
  const create = security._createSecureConnector.bind(security);
  security._createSecureConnector = (...channel) => {
    const connector = create(...channel);
    const connect = connector.connect.bind(connector);
    connector.connect = (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return connect(socket);
    };
    return connector;
  };
  return security;
}

// Counted from now for each call: gRPC takes an absolute time on the wall clock.
function within(limitMs: number): grpc.CallOptions {
  return { deadline: Date.now() + Math.max(1, limitMs) };
}
