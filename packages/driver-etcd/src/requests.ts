import { Call, type Clock, type CoordinationError, type Session, type Traffic } from '@concordat/core/spi';
import { type RequestKind, toCoordinationError } from './errors.js';
import { Gate } from './gate.js';
import type { RangeReply, RangeRequest, Transaction, TransactionReply, Transport } from './transport.js';

/** {@link Traffic}, while it is counted. */
export type TrafficCount = { -readonly [Name in keyof Traffic]: Traffic[Name] };

const mostWatchReads = 50;

type Answered = { readonly header: { readonly revision: string } };

/** Requests on behalf of recipes: counted, limited, mapped, and every linearizable reply told to the session. */
export class Requests {
  readonly traffic: TrafficCount = { requests: 0, heartbeats: 0, notifications: 0 };
  /** What is read for watches: thousands that begin, or begin anew, at once would keep heartbeats and everybody else waiting. */
  readonly watched = new Gate(mostWatchReads);
  #seen = { epoch: 0, revision: 0n };

  constructor(
    readonly transport: Transport,
    readonly session: Session,
    readonly clock: Clock,
    readonly timeoutMs: number,
  ) {}

  /** The newest revision that this session has seen, in whatever reply or event. */
  get newest(): bigint {
    return this.#seen.epoch === this.session.epoch ? this.#seen.revision : 0n;
  }

  sawRevision(revision: bigint): void {
    if (revision > this.newest) this.#seen = { epoch: this.session.epoch, revision };
  }

  /** A limit of its own, for what the driver asks on its own account. */
  ownCall(): Call {
    return new Call(this.clock.now() + this.timeoutMs);
  }

  range(request: RangeRequest, call: Call): Promise<RangeReply> {
    return this.#send('read', call, (limitMs) => this.transport.range(request, limitMs));
  }

  /** Without the store's leader: may be older than what others were answered. */
  async serializableRange(request: RangeRequest, call: Call): Promise<RangeReply> {
    this.#begin(call);
    try {
      return await this.transport.range({ ...request, serializable: true }, this.#remaining(call));
    } catch (cause) {
      throw toCoordinationError(cause, 'read');
    }
  }

  readTxn(request: Transaction, call: Call): Promise<TransactionReply> {
    return this.#send('read', call, (limitMs) => this.transport.txn(request, limitMs));
  }

  /** Rejects `OUTCOME_UNKNOWN` exactly when it may be applied, now or later. */
  writeTxn(request: Transaction, call: Call): Promise<TransactionReply> {
    return this.#send('write', call, (limitMs) => this.transport.txn(request, limitMs));
  }

  /** Resolves with how many keys there were. */
  async delete(key: Buffer, call: Call): Promise<number> {
    const reply = await this.#send('write', call, (limitMs) => this.transport.delete(key, limitMs));
    return Number(reply.deleted);
  }

  async #send<Reply extends Answered>(
    kind: RequestKind,
    call: Call,
    send: (limitMs: number) => Promise<Reply>,
  ): Promise<Reply> {
    const { session } = this;
    const { epoch, order } = session;
    this.#begin(call);
    let reply: Reply;
    try {
      reply = await send(this.#remaining(call));
    } catch (cause) {
      throw this.#failure(toCoordinationError(cause, kind), epoch);
    }
    const revision = BigInt(reply.header.revision);
    session.saw(epoch, revision, order);
    this.sawRevision(revision);
    return reply;
  }

  #begin(call: Call): void {
    this.traffic.requests += 1;
    call.markSent();
  }

  #remaining(call: Call): number {
    return call.deadline - this.clock.now();
  }

  // Only writes that carry the session's lease are answered so: the store's own word that the session is over.
  #failure(error: CoordinationError, epoch: number): CoordinationError {
    if (error.code === 'SESSION_LOST') this.session.lose(epoch, error);
    return error;
  }
}
