import type { Clock, Session, Timer } from '@concordat/core/spi';
import type { Answer, Connection, Failure, NodeStat } from './connection.js';

interface Beating {
  readonly connection: Connection;
  readonly path: string;
  readonly epoch: number;
}

/** The node that heartbeats are written to, and how often it was written when the last of them was confirmed. */
interface Written {
  readonly path: string;
  readonly version: number;
}

type Follower = (beating: Beating | null, proof: Promise<Failure | null>) => void;

/**
 * Proves the session: writes to its own ephemeral node. Only a write goes through the quorum; pings, reads and `sync`
 * are answered by a follower that was cut off from its leader, and by a thawed old leader.
 */
export class Heartbeat {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #restore: (connection: Connection, path: string) => void;
  #beating: Beating | null = null;
  #written: Written | null = null;
  #timer: Timer | null = null;
  #followers: Follower[] = [];
  readonly #listeners = new Set<(connection: Connection) => void>();

  /** @param restore makes the session's node again, after somebody deleted it by hand. */
  constructor(session: Session, clock: Clock, restore: (connection: Connection, path: string) => void) {
    this.#session = session;
    this.#clock = clock;
    this.#restore = restore;
  }

  /** Beats on this connection, at once and then regularly, until it is stopped. */
  start(beating: Beating): void {
    this.stop();
    this.#beating = beating;
    const { timeoutMs } = beating.connection;
    const everyMs = Math.min(Math.max(1000, timeoutMs / 6), timeoutMs / 4);
    const next = (): void => {
      void this.#beat(beating);
      for (const listener of this.#listeners) listener(beating.connection);
      this.#timer = this.#clock.setTimer(next, everyMs);
    };
    next();
  }

  /** Calls `listener` with each regular beat: for what can wait a little and must not be left for ever. */
  onBeat(listener: (connection: Connection) => void): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    this.#beating = null;
    this.#timer?.cancel();
  }

  /**
   * Sends `ask` right behind a heartbeat that is sent after this call, on the same connection: so a read includes everything
   * that was answered before, to anybody. One heartbeat serves all that ask in the same turn.
   */
  behind<Value>(ask: (connection: Connection) => Promise<Answer<Value>>): Promise<Answer<Value>> {
    return new Promise((resolve) => {
      this.#follow((beating, proof) => {
        if (beating === null) return resolve({ ok: false, code: 'unsent', message: 'there is no connection' });
        const asked = ask(beating.connection);
        void Promise.all([proof, asked]).then(([refused, answer]) => resolve(refused ?? answer));
      });
    });
  }

  #follow(follower: Follower): void {
    if (this.#followers.push(follower) > 1) return;
    queueMicrotask(() => {
      const followers = this.#followers;
      this.#followers = [];
      const beating = this.#beating;
      const proof = beating === null ? Promise.resolve(null) : this.#beat(beating);
      for (const follow of followers) follow(beating, proof);
    });
  }

  /** Answers `null` once the store confirmed it, and otherwise why it did not. */
  async #beat(beating: Beating): Promise<Failure | null> {
    const { connection, path, epoch } = beating;
    const sentAt = this.#clock.now();
    const before = this.#session.order;
    const watchdog = this.#watch(connection);
    const answer: Answer<NodeStat> = await connection.beat(path);
    watchdog.cancel();
    if (answer.ok) {
      this.#session.saw(epoch, answer.value.modified, before);
      if (!this.#follows(path, answer.value.version)) this.#session.wentBack(epoch);
    } else if (answer.code === 'no-node') {
      // Its absence was found by the quorum as well, and a dead session would have been refused before.
      this.#written = null;
      this.#restore(connection, path);
    } else return answer;
    this.#session.confirmed(epoch, sentAt);
    return null;
  }

  /**
   * Whether the store has all heartbeats that it confirmed: each write counts one up, and the replies come in the order of the writes. A store that
   * was restored has fewer, however far it was written since. The counter has 32 bits, and goes on below zero.
   */
  #follows(path: string, version: number): boolean {
    const before = this.#written;
    this.#written = { path, version };
    return before?.path !== path || ((version - before.version) | 0) > 0;
  }

  // A connection can go on answering pings and never answer a write, nor anything behind it. The hop lets replies in that arrived
  // while the process was busy; as long as any come, it is only a long way behind.
  #watch(connection: Connection): Timer {
    let timer: Timer | null = null;
    let over = false;
    const arm = (answered: number): void => {
      timer = this.#clock.setTimer(() => {
        setImmediate(() => {
          if (over) return;
          if (connection.answered > answered) arm(connection.answered);
          else connection.sever();
        });
      }, connection.timeoutMs / 3);
    };
    arm(connection.answered);
    return {
      cancel: () => {
        over = true;
        timer?.cancel();
      },
    };
  }
}
