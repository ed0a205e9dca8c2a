import type { Call, OpenOptions } from '@concordat/core/spi';
import { Dialer } from './dialer.js';
import { closedError, endedError, unavailableError } from './errors.js';
import { Heartbeat } from './heartbeat.js';
import type { Keys } from './keys.js';
import type { Transport, TransportEvents } from './transport.js';

/** Keeps one session after the other: opens it, keeps it alive, and ends it on the store before the next one is opened. */
export class SessionKeeper {
  readonly #options: OpenOptions;
  readonly #transport: Transport;
  readonly #dialer: Dialer;
  readonly #heartbeat: Heartbeat;
  readonly #marks: string;
  // Sessions that are over for this process and perhaps not yet for the store.
  readonly #leftovers = new Set<string>();
  #id: string | null = null;
  #opening = false;
  #stopping = false;
  #stopped: Promise<void> | null = null;
  #finish: (() => void) | null = null;

  /** @param watcher is told of changes, and of each new connection before anything is sent on it. */
  constructor(
    options: OpenOptions,
    transport: Transport,
    keys: Keys,
    watcher: Pick<TransportEvents, 'opened' | 'changed'>,
  ) {
    const { clock, session } = options;
    this.#options = options;
    this.#transport = transport;
    this.#marks = keys.sessions;
    const events: TransportEvents = {
      opened: () => {
        // First the watches: what they show is up to date by the time the session is connected again.
        watcher.opened();
        this.#proceed();
      },
      closed: () => this.#disconnected(),
      changed: (message) => watcher.changed(message),
      ended: (message) => {
        if (message.session === this.#id) session.lose(session.epoch, endedError());
      },
    };
    this.#dialer = new Dialer({ clock, transport, silenceLimitMs: options.sessionTimeoutMs / 4, events });
    this.#heartbeat = new Heartbeat(clock, session, this.#dialer);
  }

  start(): void {
    this.#dialer.dial();
  }

  /** Resolves when a heartbeat sent after this call was confirmed. */
  confirm(call: Call): Promise<void> {
    const id = this.#id;
    if (this.#stopping) return Promise.reject(closedError());
    if (id === null || !this.#transport.up) return Promise.reject(unavailableError());
    call.markSent();
    return new Promise((resolve, reject) => {
      this.#heartbeat.beat(id, {
        confirmed: resolve,
        ended: () => reject(endedError()),
        failed: () => reject(unavailableError()),
      });
    });
  }

  /** Ends the session on the store if that is possible within `limitMs`, and stops. */
  close(limitMs: number): Promise<void> {
    this.#stopping = true;
    this.#stopped ??= new Promise((resolve) => {
      const limit = this.#options.clock.setTimer(() => this.#finish?.(), limitMs, true);
      this.#finish = () => {
        this.#finish = null;
        limit.cancel();
        this.#dialer.stop();
        resolve();
      };
      this.#abandon();
      this.#finishIfDone();
    });
    return this.#stopped;
  }

  // The next thing to say on a connection that stands.
  #proceed(): void {
    if (this.#id !== null) {
      this.#heartbeat.start(this.#id);
      return;
    }
    // What follows on the same connection is applied after it: nobody has to wait for the answer.
    for (const id of this.#leftovers) this.#end(id);
    if (!this.#stopping) this.#open();
  }

  #disconnected(): void {
    const { session } = this.#options;
    this.#heartbeat.stop();
    this.#opening = false;
    if (this.#id === null) session.unreachable(unavailableError());
    else session.cut(session.epoch, unavailableError());
    this.#finishIfDone();
  }

  #open(): void {
    const { clock, session, sessionTimeoutMs } = this.#options;
    if (this.#opening) return;
    this.#opening = true;
    const sentAt = clock.now();
    const request = { timeoutMs: sessionTimeoutMs, marks: this.#marks };
    this.#dialer.ask('open', request, {
      answered: ({ answer, revision }) => {
        this.#opening = false;
        this.#id = answer.session;
        if (this.#stopping) return this.#abandon();
        const epoch = session.opened(answer.session, answer.timeoutMs, sentAt, 0);
        if (epoch === null) {
          this.#abandon();
          // It came too late to be lived in, and nothing else asks for another one while the connection stands.
          if (!session.closed) this.#proceed();
          return;
        }
        session.saw(epoch, revision, 0n);
        this.#heartbeat.continue(answer.session, sentAt);
        session.onLost(epoch, () => this.#lost(), 'driver');
      },
    });
  }

  #lost(): void {
    this.#abandon();
    if (this.#stopping) return;
    // In a turn of its own: whoever is asked for the reason of the loss still finds it.
    this.#transport.later(() => {
      if (this.#stopping) return;
      this.#options.session.reopen();
      if (this.#transport.up) this.#proceed();
    });
  }

  // The session is over for this process; the store is told as soon as possible.
  #abandon(): void {
    this.#heartbeat.stop();
    if (this.#id !== null) this.#leftovers.add(this.#id);
    this.#id = null;
    if (this.#stopping && this.#transport.up) this.#proceed();
  }

  #end(id: string): void {
    this.#dialer.ask(
      'end',
      { session: id },
      {
        answered: () => {
          this.#leftovers.delete(id);
          this.#finishIfDone();
        },
      },
    );
  }

  #finishIfDone(): void {
    if (this.#id === null && !this.#opening && this.#leftovers.size === 0) this.#finish?.();
  }
}
