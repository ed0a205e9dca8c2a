import type { Clock, Timer } from '@concordat/core/spi';
import { Backoff } from './backoff.js';
import { isOutdated, isStaleToken } from './errors.js';
import { StatusError, status } from './protocol.js';
import { Terms } from './terms.js';
import type { Duplex, KeepAliveReply, KeepAliveRequest, KeyValue, Transport } from './transport.js';

/** A lease, and the key by which its life can be seen. */
export interface LeaseFacts {
  /** Decimal, as the protocol has it. */
  readonly id: string;
  readonly key: Buffer;
  readonly timeoutMs: number;
}

/** What a heartbeat tells. */
export interface HeartbeatReport {
  /** The store confirmed that the lease was alive after the heartbeat with this number was sent. */
  confirmed(sentAt: number, number: number): void;
  /** The store does not know the lease any more. `isBehind`: whoever says so shows an older state than was seen before it was asked. */
  dead(isBehind: boolean): void;
  /** The lease was renewed, but its key is not there, or is not its own. */
  keyMissing(): void;
  /** The transport is cut, silent, or leads to a member that cannot answer; another connection is being made. */
  cut(error: StatusError): void;
  /** Taken before a linearizable read is sent; handed back with what it answered. */
  orderBefore(): bigint;
  saw(order: bigint, before: bigint): void;
  /** A member answered a linearizable read in an older Raft term than one before it. */
  wentBack(): void;
  sent(): void;
}

/** What a heartbeat needs of the transport. */
export type HeartbeatTransport = Pick<Transport, 'authenticate' | 'connection' | 'keepAlive' | 'range' | 'replace'>;

interface Renewal {
  readonly number: number;
  readonly sentAt: number;
  /** Taken before it was sent. */
  readonly order: bigint;
}

/**
 * Renews one lease on a stream of its own, and proves each renewal.
 *
 * A renewal alone proves nothing: a thawed old leader renews by itself (two holders for 3.8 s at a timeout of 8 s). So a heartbeat counts
 * only when a linearizable read, sent after the reply, was answered in the same Raft term.
 */
export class Heartbeat {
  readonly #transport: HeartbeatTransport;
  readonly #clock: Clock;
  readonly #lease: LeaseFacts;
  readonly #report: HeartbeatReport;
  readonly #limitMs: number;
  readonly #intervalMs: number;
  readonly #backoff: Backoff;
  #stream: Duplex<KeepAliveRequest> | null = null;
  #connection: object;
  #unanswered: Renewal[] = [];
  #number = 0;
  #terms = new Terms();
  #repeatedFor: string | null = null;
  #hasNewToken = false;
  #nextBeat: Timer | null = null;
  #overdue: Timer | null = null;
  #stopped = false;

  constructor(transport: HeartbeatTransport, clock: Clock, lease: LeaseFacts, report: HeartbeatReport) {
    this.#transport = transport;
    this.#connection = transport.connection;
    this.#clock = clock;
    this.#lease = lease;
    this.#report = report;
    this.#limitMs = lease.timeoutMs / 4;
    this.#intervalMs = Math.min(Math.max(1_000, lease.timeoutMs / 6), this.#limitMs);
    this.#backoff = new Backoff(clock, 10, 1_000);
  }

  start(): void {
    this.#open();
  }

  /** Sends one more now; every heartbeat sent from now on has a higher number than what this returns. */
  beat(): number {
    const before = this.#number;
    if (this.#stream !== null) this.#renew(this.#stream);
    return before;
  }

  stop(): void {
    this.#stopped = true;
    this.#backoff.stop();
    this.#close();
  }

  #open(): void {
    if (this.#stopped) return;
    this.#connection = this.#transport.connection;
    const stream: Duplex<KeepAliveRequest> = this.#transport.keepAlive({
      message: (reply) => this.#answered(reply),
      ended: (error) => this.#ended(stream, error),
    });
    this.#stream = stream;
    this.#renew(stream);
  }

  #close(): void {
    this.#nextBeat?.cancel();
    this.#overdue?.cancel();
    this.#stream?.close();
    this.#stream = null;
    this.#unanswered = [];
  }

  #renew(stream: Duplex<KeepAliveRequest>): void {
    this.#number += 1;
    this.#unanswered.push({ number: this.#number, sentAt: this.#clock.now(), order: this.#report.orderBefore() });
    this.#report.sent();
    stream.write({ ID: this.#lease.id });
    if (this.#unanswered.length === 1) this.#watchOldest(stream);
    this.#nextBeat?.cancel();
    this.#nextBeat = this.#clock.setTimer(() => this.beat(), this.#intervalMs);
  }

  #watchOldest(stream: Duplex<KeepAliveRequest>): void {
    this.#overdue?.cancel();
    const oldest = this.#unanswered[0];
    if (oldest === undefined) return;
    const silent = new StatusError(status.deadlineExceeded, 'a renewal was not answered in time');
    const waitMs = oldest.sentAt + this.#limitMs - this.#clock.now();
    this.#overdue = this.#clock.setTimer(() => this.#lost(stream, silent), waitMs);
  }

  // Replies carry no number: they come in the order of the renewals on the same stream.
  #answered(reply: KeepAliveReply): void {
    const renewal = this.#unanswered.shift();
    const stream = this.#stream;
    if (renewal === undefined || stream === null) return;
    this.#watchOldest(stream);
    if (BigInt(reply.TTL) <= 0n) this.#report.dead(BigInt(reply.header.revision) < renewal.order);
    else void this.#prove(renewal, reply.header.raft_term, stream);
  }

  async #prove(renewal: Renewal, term: string, stream: Duplex<KeepAliveRequest>): Promise<void> {
    const before = this.#report.orderBefore();
    const termsBefore = this.#terms;
    this.#report.sent();
    try {
      const { header, kvs } = await this.#transport.range({ key: this.#lease.key }, this.#limitMs);
      if (this.#stopped) return;
      this.#report.saw(BigInt(header.revision), before);
      if (termsBefore.isAbove(header)) return this.#report.wentBack();
      this.#terms = this.#terms.with(header);
      this.#backoff.reset();
      this.#hasNewToken = false;
      if (header.raft_term !== term) this.#repeat(header.raft_term);
      else if (this.#isOwn(kvs[0])) this.#report.confirmed(renewal.sentAt, renewal.number);
      else this.#report.keyMissing();
    } catch (error) {
      this.#lost(stream, asStatus(error));
    }
  }

  #isOwn(found: KeyValue | undefined): boolean {
    return found?.lease === this.#lease.id;
  }

  // An election came between; the next renewal has the new term. Once per term, so that a confused member is not flooded.
  #repeat(term: string): void {
    if (this.#repeatedFor === term) return;
    this.#repeatedFor = term;
    this.beat();
  }

  #ended(stream: Duplex<KeepAliveRequest>, error: StatusError): void {
    if (isStaleToken(error) && (!this.#hasNewToken || isOutdated(error))) void this.#loginAgain(stream);
    else this.#lost(stream, error);
  }

  // etcd lets a stream go on with the token that it began with; newer ones ask for a good one with each renewal. The connection is good.
  async #loginAgain(stream: Duplex<KeepAliveRequest>): Promise<void> {
    if (stream !== this.#stream || this.#stopped) return;
    this.#close();
    try {
      await this.#transport.authenticate(this.#limitMs);
      this.#hasNewToken = true;
    } catch (error) {
      this.#cut(asStatus(error));
      return;
    }
    await this.#backoff.wait();
    this.#open();
  }

  #lost(stream: Duplex<KeepAliveRequest>, error: StatusError): void {
    if (stream !== this.#stream || this.#stopped) return;
    this.#close();
    this.#cut(error);
  }

  #cut(error: StatusError): void {
    if (this.#stopped) return;
    this.#hasNewToken = false;
    this.#report.cut(error);
    this.#transport.replace(this.#connection);
    void this.#backoff.wait().then(() => this.#open());
  }
}

function asStatus(error: unknown): StatusError {
  return error instanceof StatusError ? error : new StatusError(status.internal, 'a request of the heartbeat failed');
}
