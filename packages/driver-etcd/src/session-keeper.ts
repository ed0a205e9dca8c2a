import { randomBytes } from 'node:crypto';
import { CoordinationError, type Session } from '@concordat/core/spi';
import { Backoff } from './backoff.js';
import { isRefusal, isUnknownLease, toCoordinationError } from './errors.js';
import { Heartbeat } from './heartbeat.js';
import type { Keys } from './keys.js';
import { hexLease } from './names.js';
import { StatusError, status } from './protocol.js';
import type { Requests } from './requests.js';
import { FilterType, type Transport } from './transport.js';
import type { WatchStream, WatchTarget } from './watch-stream.js';

interface Lease {
  readonly id: string;
  readonly epoch: number;
  readonly heartbeat: Heartbeat;
}

interface Confirmation {
  readonly after: number;
  readonly resolve: () => void;
}

const triesWhenClosing = 3;

/**
 * Keeps one session after another: each is one lease, with one key of its own (`session/<id>`) that shows it to others.
 *
 * That key is watched, so that a revoke is pushed: etcd itself tells the owner of a lease nothing.
 */
export class SessionKeeper {
  readonly #requests: Requests;
  readonly #transport: Transport;
  readonly #session: Session;
  readonly #watches: WatchStream;
  readonly #keys: Keys;
  readonly #seconds: number;
  readonly #backoff: Backoff;
  readonly #confirmations = new Set<Confirmation>();
  #lease: Lease | null = null;
  // The same until its grant is answered: a repeated grant of one id is harmless.
  #nextId = randomLease();
  #ended: string | null = null;
  #closeBy = Number.POSITIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #wakeUp: () => void = () => undefined;

  constructor(requests: Requests, watches: WatchStream, keys: Keys, timeoutMs: number) {
    this.#requests = requests;
    this.#transport = requests.transport;
    this.#session = requests.session;
    this.#watches = watches;
    this.#keys = keys;
    this.#seconds = Math.ceil(timeoutMs / 1_000);
    this.#backoff = new Backoff(requests.clock, 50, 1_000);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The lease that entries of this epoch belong to, in decimal. */
  lease(epoch: number): string {
    const lease = this.#lease;
    if (lease !== null && lease.epoch === epoch) return lease.id;
    this.#session.check(epoch);
    throw new CoordinationError('SESSION_LOST', 'the session is over');
  }

  /** Resolves when a heartbeat sent after this call was confirmed. */
  confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      const lease = this.#lease;
      if (lease === null) return reject(new CoordinationError('UNAVAILABLE', 'there is no session now'));
      const confirmation: Confirmation = { after: lease.heartbeat.beat(), resolve: () => resolve(stopLoss()) };
      this.#confirmations.add(confirmation);
      const stopLoss = this.#session.onLost(lease.epoch, (reason) => {
        this.#confirmations.delete(confirmation);
        reject(reason);
      });
    });
  }

  /** Ends the session on the store, best effort; settles at most `limitMs` later. */
  async close(limitMs: number): Promise<void> {
    const { clock } = this.#requests;
    this.#closeBy = clock.now() + limitMs;
    this.#backoff.stop();
    this.#wakeUp();
    let stopWaiting: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => {
      const timer = clock.setTimer(resolve, limitMs, true);
      stopWaiting = () => timer.cancel();
    });
    await Promise.race([this.#running, limit]);
    stopWaiting();
  }

  #isClosing(): boolean {
    return this.#session.closed || Number.isFinite(this.#closeBy);
  }

  async #run(): Promise<void> {
    while (!this.#isClosing()) {
      const connection = this.#transport.connection;
      try {
        await this.#liveOnce();
        this.#backoff.reset();
      } catch (cause) {
        this.#transport.replace(connection);
        this.#complain(toCoordinationError(cause, 'read'));
        await this.#backoff.wait();
      }
    }
    if (this.#ended !== null) await this.#endOnStore();
  }

  /** One session from its grant to its end on the store. Rejects when it could not be opened. */
  async #liveOnce(): Promise<void> {
    const sentAt = this.#requests.clock.now();
    const timeoutMs = await this.#grant();
    const id = this.#nextId;
    this.#nextId = randomLease();
    // The one before may still be alive when its end was not answered; entries of two sessions of ours must not meet.
    if (this.#ended !== null) await this.#revoke(this.#ended, 1);
    this.#ended = id;
    if (this.#isClosing()) return;
    const revision = await this.#putKey(id);
    const epoch = this.#session.opened(hexLease(id), timeoutMs, sentAt, 0);
    if (epoch === null) return;
    this.#session.saw(epoch, revision, 0n);
    await this.#keep(id, epoch, timeoutMs, revision);
    if (this.#isClosing()) return;
    await this.#endOnStore();
    this.#session.reopen();
  }

  async #grant(): Promise<number> {
    const { timeoutMs } = this.#requests;
    try {
      await this.#transport.authenticate(timeoutMs);
      this.#requests.traffic.heartbeats += 1;
      const { TTL } = await this.#transport.grantLease(this.#nextId, this.#seconds, timeoutMs);
      return Number(TTL) * 1_000;
    } catch (error) {
      // It was granted to an attempt whose reply was lost, some time ago: not worth to be lived in.
      if (error instanceof StatusError && error.code === status.failedPrecondition) {
        await this.#revoke(this.#nextId, 1);
        this.#nextId = randomLease();
      }
      throw error;
    }
  }

  async #putKey(id: string): Promise<bigint> {
    this.#requests.traffic.heartbeats += 1;
    const key = this.#keys.session(hexLease(id));
    const put = { request_put: { key, value: Buffer.from('1'), lease: id } };
    const { header } = await this.#transport.txn({ success: [put] }, this.#requests.timeoutMs);
    return BigInt(header.revision);
  }

  /** Resolves when the session is over. */
  #keep(id: string, epoch: number, timeoutMs: number, revision: bigint): Promise<void> {
    const session = this.#session;
    const key = this.#keys.session(hexLease(id));
    const { traffic } = this.#requests;
    const heartbeat = new Heartbeat(
      this.#transport,
      this.#requests.clock,
      { id, key, timeoutMs },
      {
        confirmed: (sentAt, number) => {
          const wasSuspended = session.state.state === 'suspended';
          session.confirmed(epoch, sentAt);
          // A waiter whose turn came meanwhile should not wait out a pause as well.
          if (wasSuspended) this.#watches.retry();
          this.#confirm(number);
        },
        dead: (isBehind) => session.lose(epoch, endedByStore(isBehind)),
        keyMissing: () => void this.#putAgain(id, epoch),
        cut: (error) => session.cut(epoch, toCoordinationError(error, 'read')),
        orderBefore: () => session.order,
        saw: (order, before) => session.saw(epoch, order, before),
        wentBack: () => session.wentBack(epoch),
        sent: () => {
          traffic.heartbeats += 1;
        },
      },
    );
    const look = (): void => void heartbeat.beat();
    const target: WatchTarget = { key, filters: [FilterType.Noput], ofSession: true };
    this.#watches.retry();
    const unwatch = this.#watches.watch(target, revision + 1n, {
      opened: look,
      changed: look,
      restarted: look,
      refused: look,
    });
    this.#lease = { id, epoch, heartbeat };
    return new Promise((resolve) => {
      const over = (): void => {
        this.#lease = null;
        this.#confirmations.clear();
        heartbeat.stop();
        unwatch();
        resolve();
      };
      this.#wakeUp = over;
      session.onLost(epoch, over, 'driver');
      if (this.#lease !== null) heartbeat.start();
    });
  }

  #confirm(number: number): void {
    for (const confirmation of [...this.#confirmations]) {
      if (number <= confirmation.after) continue;
      this.#confirmations.delete(confirmation);
      confirmation.resolve();
    }
  }

  // Somebody deleted the key by hand, or the lease is being revoked right now: the store's answer tells.
  async #putAgain(id: string, epoch: number): Promise<void> {
    try {
      await this.#putKey(id);
      if (this.#lease?.id === id) this.#lease.heartbeat.beat();
    } catch (error) {
      if (!isUnknownLease(error)) return;
      this.#session.lose(epoch, endedByStore(false));
    }
  }

  async #endOnStore(): Promise<void> {
    if (this.#ended !== null)
      await this.#revoke(this.#ended, this.#isClosing() ? triesWhenClosing : Number.POSITIVE_INFINITY);
  }

  /** Ends a lease, within one request limit; what could not be ended is remembered in `#ended`. */
  async #revoke(id: string, tries: number): Promise<void> {
    const { clock, timeoutMs, traffic } = this.#requests;
    const endBy = Math.min(clock.now() + timeoutMs, this.#closeBy);
    const backoff = new Backoff(clock, 50, 500);
    for (let left = tries; left > 0 && clock.now() < endBy; left -= 1) {
      const connection = this.#transport.connection;
      try {
        traffic.heartbeats += 1;
        await this.#transport.revokeLease(id, endBy - clock.now());
        break;
      } catch (error) {
        if (isUnknownLease(error)) break;
        if (isRefusal(toCoordinationError(error, 'write'))) return await this.#deleteKey(id, endBy);
        this.#transport.replace(connection);
        if (left > 1) await backoff.wait();
        if (left <= 1 || clock.now() >= endBy) return;
      }
    }
    if (this.#ended === id) this.#ended = null;
  }

  // A lease that has got keys which its owner may not delete any more ends by itself, later: at least nobody takes it for alive meanwhile.
  async #deleteKey(id: string, endBy: number): Promise<void> {
    const { clock, traffic } = this.#requests;
    traffic.heartbeats += 1;
    await this.#transport.delete(this.#keys.session(hexLease(id)), endBy - clock.now()).catch(() => undefined);
  }

  #complain(error: CoordinationError): void {
    if (isRefusal(error)) this.#session.refuse(error);
    else this.#session.unreachable(error);
  }
}

// A member that lags shows an older state as well, so that this alone proves nothing.
function endedByStore(isBehind: boolean): CoordinationError {
  const more = isBehind ? ', and shows an older state than before: it was restored or wiped, or this member lags' : '';
  return new CoordinationError('SESSION_LOST', `the store ended the session${more}`);
}

function randomLease(): string {
  return String(BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()) | 1n);
}
