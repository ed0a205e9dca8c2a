import type { Socket } from 'node:net';
import { CoordinationError, type Host, type Tls } from '@concordat/core/spi';
import * as grpc from '@grpc/grpc-js';
import type * as etcd from 'etcd3';
import { Host as Pool } from 'etcd3/lib/connection-pool.js';
import { Login } from './login.js';
import { Peer } from './peer.js';
import { DistrustError, StatusError, status } from './protocol.js';

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
type Start<Reply> = (options: grpc.CallOptions, done: Done<Reply>) => grpc.ClientUnaryCall;
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

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface TransportOptions {
  readonly hosts: readonly Host[];
  readonly tls: Tls | null;
  readonly credentials: Credentials | null;
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

const longestCallMs = 10_000;
const noConnection = 'No connection established';
let connections = 0;

interface Connection {
  readonly peer: Peer;
  readonly pool: Pool;
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * The one place that touches the client packages: raw calls and streams over one TCP connection to one of the hosts.
 *
 * Of npm `etcd3` it uses the stubs only: the package's retries apply writes twice, its breaker fails calls on a healthy server, and
 * its watcher loses events. Nothing here retries or fails over, but for a token that is stale; whoever keeps the session asks for another connection.
 */
export class Transport {
  readonly #tls: Tls | null;
  readonly #peers: readonly Peer[];
  readonly #login: Login<grpc.Metadata>;
  readonly #calls = new Set<grpc.ClientUnaryCall>();
  readonly #streams = new Map<(error: StatusError) => void, Connection>();
  readonly #connections = new Set<Connection>();
  #connection: Connection;
  #index: number;
  #closed = false;

  constructor({ hosts, tls, credentials }: TransportOptions) {
    this.#tls = tls;
    this.#peers = hosts.map((host) => new Peer(host, tls));
    const fetch = credentials === null ? null : (limitMs: number) => this.#authenticate(credentials, limitMs);
    this.#login = new Login(new grpc.Metadata(), fetch);
    this.#index = Math.floor(Math.random() * hosts.length);
    this.#connection = this.#connect();
  }

  /** Stands for the TCP connection that the next request will use. */
  get connection(): object {
    return this.#connection;
  }

  range(request: etcd.IRangeRequest, limitMs: number): Promise<etcd.IRangeResponse> {
    return this.#call(limitMs, (options, done) => this.#stub('KV').range(request, this.#login.token, options, done));
  }

  txn(request: etcd.ITxnRequest, limitMs: number): Promise<etcd.ITxnResponse> {
    return this.#call(limitMs, (options, done) => this.#stub('KV').txn(request, this.#login.token, options, done));
  }

  delete(key: Buffer, limitMs: number): Promise<etcd.IDeleteRangeResponse> {
    return this.#call(limitMs, (options, done) =>
      this.#stub('KV').deleteRange({ key }, this.#login.token, options, done),
    );
  }

  /** @param id chosen by the client, so that a grant may be repeated when its reply was lost. */
  grantLease(id: string, seconds: number, limitMs: number): Promise<etcd.ILeaseGrantResponse> {
    const request = { ID: id, TTL: seconds };
    return this.#call(limitMs, (options, done) =>
      this.#stub('Lease').leaseGrant(request, this.#login.token, options, done),
    );
  }

  revokeLease(id: string, limitMs: number): Promise<etcd.ILeaseRevokeResponse> {
    return this.#call(limitMs, (options, done) =>
      this.#stub('Lease').leaseRevoke({ ID: id }, this.#login.token, options, done),
    );
  }

  keepAlive(listener: DuplexListener<etcd.ILeaseKeepAliveResponse>): Duplex<etcd.ILeaseKeepAliveRequest> {
    return this.#stream(this.#stub('Lease').leaseKeepAlive(this.#streamMetadata()), listener);
  }

  watch(listener: DuplexListener<etcd.IWatchResponse>): Duplex<etcd.IWatchRequest> {
    return this.#stream(this.#stub('Watch').watch(this.#streamMetadata()), listener);
  }

  /** Fetches a token for the credentials, where there are any. */
  authenticate(limitMs: number): Promise<void> {
    return this.#login.renew(limitMs);
  }

  /**
   * Turns to the next host, or to a new TCP connection when there is only one, unless `connection` was replaced before.
   * Streams of the old connection end; calls on it may still be answered until their limits.
   */
  replace(connection: object): void {
    const old = this.#connection;
    if (this.#closed || connection !== old) return;
    this.#index = (this.#index + 1) % this.#peers.length;
    this.#connection = this.#connect();
    for (const [end, used] of [...this.#streams])
      if (used === old) end(new StatusError(status.unavailable, 'the connection was replaced'));
    closePool(old.pool);
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
    closePool(this.#connection.pool);
    for (const peer of this.#peers) peer.close();
    for (const connection of [...this.#connections]) this.#destroy(connection);
  }

  #connect(): Connection {
    const peer = this.#peers[this.#index];
    if (peer === undefined) throw new CoordinationError('INVALID_ARGUMENT', 'etcd needs at least one host');
    connections += 1;
    const options = {
      ...channelOptions,
      // Equal options would share the TCP connection with every other client of this process, a dead one too.
      'concordat.connection': connections,
      ...(this.#tls?.serverName ? { 'grpc.default_authority': this.#tls.serverName } : {}),
    };
    const sockets = new Set<Socket>();
    const pool = new Pool(peer.address, channelTo(peer, this.#tls, sockets), options);
    const connection = { peer, pool, sockets };
    this.#connections.add(connection);
    return connection;
  }

  #destroy(connection: Connection): void {
    for (const socket of connection.sockets) socket.destroy();
    this.#connections.delete(connection);
  }

  #stub<Name extends keyof Stubs>(name: Name): Stubs[Name] {
    if (this.#closed) throw new StatusError(status.cancelled, 'the client was closed');
    return this.#connection.pool.getServiceClient(name) as unknown as Stubs[Name];
  }

  // A member without a leader ends the stream instead of keeping silent.
  #streamMetadata(): grpc.Metadata {
    const metadata = this.#login.token.clone();
    metadata.set('hasleader', 'true');
    return metadata;
  }

  async #authenticate({ username, password }: Credentials, limitMs: number): Promise<grpc.Metadata> {
    const request = { name: username, password };
    const metadata = new grpc.Metadata();
    try {
      const { token } = await this.#once<etcd.IAuthenticateResponse>(limitMs, (options, done) =>
        this.#stub('Auth').authenticate(request, new grpc.Metadata(), options, done),
      );
      metadata.set('token', token);
    } catch (error) {
      // A server without authentication wants no token; as Go's client does, go on without.
      if (!(error instanceof StatusError && error.code === status.failedPrecondition)) throw error;
    }
    return metadata;
  }

  #call<Reply>(limitMs: number, start: Start<Reply>): Promise<Reply> {
    return this.#login.run(limitMs, (leftMs) => this.#once(leftMs, start));
  }

  #once<Reply>(limitMs: number, start: Start<Reply>): Promise<Reply> {
    const { peer } = this.#connection;
    return new Promise<Reply>((resolve, reject) => {
      const call = start(within(limitMs), (error, reply) => {
        this.#calls.delete(call);
        if (error !== null) return reject(this.#failure(error, peer));
        if (reply === undefined) return reject(new StatusError(status.internal, 'an empty reply'));
        peer.served();
        return resolve(reply);
      });
      this.#calls.add(call);
    });
  }

  // What is known against the servers says more than what the client library makes of it.
  #failure({ code, details }: grpc.ServiceError, peer: Peer): StatusError {
    if (peer.doubt === null || !details.startsWith(noConnection)) return new StatusError(code, details);
    const doubts = this.#peers.map(({ doubt }) => doubt).filter((doubt) => doubt !== null);
    if (doubts.length === this.#peers.length) return new DistrustError(doubts);
    return new StatusError(code, `${noConnection}. ${peer.doubt}`);
  }

  #stream<Request, Reply>(
    stream: grpc.ClientDuplexStream<Request, Reply>,
    listener: DuplexListener<Reply>,
  ): Duplex<Request> {
    const connection = this.#connection;
    const { token } = this.#login;
    const close = (): boolean => {
      stream.off('data', message);
      stream.cancel();
      return this.#streams.delete(end);
    };
    const end = (error: StatusError): void => {
      if (!close()) return;
      this.#login.ended(error, token);
      listener.ended(error);
    };
    const message = (reply: Reply): void => listener.message(reply);
    this.#streams.set(end, connection);
    stream.on('data', message);
    // Stays attached for good: the cancelled stream still emits an error.
    stream.on('error', (error: grpc.ServiceError) => end(this.#failure(error, connection.peer)));
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
 * Lets the peer make each connection of a channel, and keeps hold of their sockets. A closed channel forgets one whose server has not greeted
 * yet (grpc-js never shuts its connector down): a frozen server would cost a socket for each try, for as long as it is frozen.
 */
function channelTo(peer: Peer, tls: Tls | null, sockets: Set<Socket>): grpc.ChannelCredentials {
  const { credentials } = grpc;
  const security =
    tls === null ? credentials.createInsecure() : credentials.createFromSecureContext(tls.material().context);
  const create = security._createSecureConnector.bind(security);
  security._createSecureConnector = (...channel) => {
    const connector = create(...channel);
    connector.waitForReady = () => Promise.resolve(peer.dialling());
    connector.connect = async (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return { socket: await peer.met(socket), secure: tls !== null };
    };
    return connector;
  };
  return security;
}

// Counted from now for each call: gRPC takes an absolute time on the wall clock.
function within(limitMs: number): grpc.CallOptions {
  return { deadline: Date.now() + Math.max(1, limitMs) };
}
