import { Backoff } from '../../backoff.js';
import type { Context } from '../../context.js';
import { CoordinationError, withoutCode } from '../../errors.js';
import type { Line } from '../../event-log.js';
import type { Held } from '../../lines/leaving.js';
import { OwnWatch } from '../../lines/own-watch.js';
import { lineOf } from '../../lines/queue.js';
import { pause } from '../../pause.js';
import type { Entry } from '../../spi/backend.js';
import type { Joined } from './entering.js';

/** What becomes of a stay. After `removed` or `lost` nothing more is told. */
export interface StayListener {
  /** Its entry is not there any more; why is being found out. */
  missing(reason: CoordinationError): void;
  /** Its entry was deleted by hand while its session lives. */
  removed(reason: CoordinationError): void;
  /** The coordinator closes: told with the signals of the same turn, before `lost`. */
  closing(reason: CoordinationError): void;
  /** Its session is over: `SESSION_LOST` or `CLOSED`. */
  lost(reason: CoordinationError): void;
  /** After everybody else was told of the same loss. */
  afterLoss(): void;
}

/** One entry of a member, for as long as its session: told apart are the loss of the session, and a removal by hand. */
export class Stay {
  readonly #context: Context;
  readonly #line: Line;
  readonly #listener: StayListener;
  readonly entry: Entry;
  readonly token: bigint;
  readonly #sinceMs: number;
  #stopLoss: () => void = () => undefined;
  #watch: OwnWatch | null = null;
  #standing = true;
  #over = false;

  /** @param waitedMs for the events: from the call on, or from the loss before. */
  constructor(context: Context, line: Line, joined: Joined, waitedMs: number, listener: StayListener) {
    const { entry, tokenBase } = joined;
    this.#context = context;
    this.#line = lineOf(line);
    this.#listener = listener;
    this.entry = entry;
    this.token = tokenBase + entry.created;
    this.#sinceMs = context.events.now();
    const { token } = this;
    context.events.line(this.#line, { type: 'acquired', entry: entry.name, token, waitedMs, reason: null });
  }

  /** Whether its entry is in the store, as far as is known. */
  get standing(): boolean {
    return this.#standing;
  }

  /** What ends with it, for the events. */
  get held(): Held {
    return { token: this.token, heldMs: this.#context.events.now() - this.#sinceMs };
  }

  /** Begins to listen; may tell at once. */
  start(): void {
    const { session } = this.#context;
    this.#stopLoss = session.onLost(this.entry.epoch, {
      flag: () => this.stop(),
      abort: (reason) => {
        if (reason.code === 'CLOSED') this.#listener.closing(reason);
      },
      end: (reason) => this.#listener.lost(reason),
      log: (reason) => {
        this.#log(reason);
        this.#listener.afterLoss();
      },
    });
    if (!this.#standing) return;
    this.#watch = new OwnWatch(this.#context, this.entry, () => this.isGone());
    // Whoever was told at once may have ended it.
    if (this.#over) this.#watch.stop();
  }

  /** The store said that the entry is not there. */
  isGone(): void {
    if (!this.#context.session.alive() || !this.#standing) return;
    this.#standing = false;
    const reason = new CoordinationError('NOT_FOUND', 'its entry is not in the store any more');
    this.#listener.missing(reason);
    void this.#findOutWhy(reason);
  }

  /** Listens no more, and tells nothing more but what is being told. */
  stop(): void {
    this.#over = true;
    this.#standing = false;
    this.#watch?.stop();
  }

  /** The same, when it is ended by its member. */
  end(): void {
    this.stop();
    this.#stopLoss();
  }

  // A session may end on the store first as the deletion of what it owns: a heartbeat tells (elasticjob#1857 took an expiry for an order).
  async #findOutWhy(reason: CoordinationError): Promise<void> {
    const { requests, session, clock } = this.#context;
    const { epoch } = this.entry;
    const backoff = new Backoff();
    while (!this.#over) {
      try {
        await requests.read((backend, call) => backend.confirm(call), epoch);
        session.check(epoch);
        return this.#removed(reason);
      } catch {
        await pause(session, clock, backoff.nextMs);
      }
    }
  }

  #removed(reason: CoordinationError): void {
    if (this.#over) return;
    this.end();
    this.#log(reason);
    this.#listener.removed(reason);
  }

  #log(cause: CoordinationError): void {
    const { events } = this.#context;
    const { token, heldMs } = this.held;
    const step = { entry: this.entry.name, token, heldMs };
    if (cause.code === 'CLOSED') events.line(this.#line, { ...step, type: 'released', reason: cause });
    else events.line(this.#line, { ...step, type: 'grant-lost', reason: lostBy(this.#line, cause) });
  }
}

/** What a member is told that is none any more, against its will. */
export function lostBy({ name }: Pick<Line, 'name'>, cause: CoordinationError): CoordinationError {
  return new CoordinationError('GRANT_LOST', `the membership in group "${name}" is over: ${withoutCode(cause)}`, {
    cause,
  });
}
