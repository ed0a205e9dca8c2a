import { checkedSignal } from '../../checked-signal.js';
import type { Context } from '../../context.js';
import { CoordinationError } from '../../errors.js';
import type { SessionState } from '../../session-state.js';
import { isAlive } from '../../shared-state/liveness.js';
import type { Seen, SharedState, Verdict } from '../../shared-state/shared-state.js';
import { Steps } from '../../shared-state/steps.js';
import type { Wait } from '../../wait.js';
import type { Publication } from '../rendezvous.js';
import { type Meeting, nobody } from './meeting.js';

/** One value on its way to a meeting point, and away again. */
export class Publishing {
  readonly #context: Context;
  readonly #name: string;
  readonly #meeting: SharedState<Meeting>;
  readonly #value: Uint8Array;
  readonly #steps: Steps;
  #tried = false;

  constructor(context: Context, name: string, meeting: SharedState<Meeting>, value: Uint8Array) {
    this.#context = context;
    this.#name = name;
    this.#meeting = meeting;
    this.#value = value;
    this.#steps = new Steps(context.events, { primitive: 'meet', name });
  }

  async publish(wait: Wait): Promise<Publication> {
    try {
      const session = await this.#meeting.settle(wait, (seen) => this.#step(wait, seen));
      return new SessionPublication(this.#context, session.epoch, () => this.#withdraw(session));
    } catch (reason) {
      this.#steps.gaveUp(reason);
      if (this.#tried) this.#retract();
      throw reason;
    }
  }

  async #step(wait: Wait, { state }: Seen<Meeting>): Promise<Verdict<Meeting, SessionState>> {
    const session = this.#context.session.state;
    const own = { id: this.#steps.id, session: session.id ?? '' };
    const { publisher } = state;
    if (publisher?.id === own.id) {
      if (publisher.session === own.session) return { done: session };
      this.#steps.requeued();
    } else if (publisher !== null && (await isAlive(this.#context, wait, publisher.session)))
      throw new CoordinationError(
        'ALREADY_EXISTS',
        `rendezvous "${this.#name}": session ${publisher.session} publishes`,
      );
    this.#tried = true;
    return { write: { publisher: own, value: this.#value } };
  }

  // In the next session as well: the store may hold on to one that is lost here, and hand the value out. Not for longer than it can, so
  // that nobody waits for a store that stays away.
  async #withdraw({ epoch, timeoutMs }: SessionState): Promise<void> {
    const { session, clock } = this.#context;
    const limit = new AbortController();
    let cancel = (): void => undefined;
    const stop = session.onLost(epoch, () => {
      const timer = clock.setTimer(() => limit.abort(), timeoutMs, true);
      cancel = () => timer.cancel();
    });
    await this.#behind(({ state }) => (this.#isMine(state) ? { write: nobody } : { done: undefined }), limit.signal);
    stop();
    cancel();
  }

  // Writes also where it finds nothing of its own: the publication may be on its way still, and compares the version.
  #retract(): void {
    void this.#behind(({ state, stored }) =>
      stored ? { done: undefined } : { write: this.#isMine(state) ? nobody : state },
    );
  }

  /** Never rejects. */
  async #behind(step: (seen: Seen<Meeting>) => Verdict<Meeting, undefined>, signal?: AbortSignal): Promise<void> {
    const settling = this.#meeting.settleBehind(step, (reason) => this.#steps.cleanupFailed(reason), signal);
    // Closed, or lost for long: the value goes with the session.
    await settling.catch(() => undefined);
  }

  #isMine({ publisher }: Meeting): boolean {
    return publisher?.id === this.#steps.id;
  }
}

class SessionPublication implements Publication {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #stopListening: () => void;
  readonly #end: () => Promise<void>;
  #withdrawn: Promise<void> | null = null;

  constructor({ session }: Context, epoch: number, end: () => Promise<void>) {
    this.#end = end;
    this.signal = checkedSignal(this.#controller, () => session.alive());
    this.#stopListening = session.onLost(epoch, { abort: (reason) => this.#controller.abort(reason) });
  }

  withdraw(): Promise<void> {
    if (this.#withdrawn !== null) return this.#withdrawn;
    this.#stopListening();
    this.#controller.abort(new CoordinationError('NOT_HELD', 'the publication was withdrawn'));
    this.#withdrawn = this.#end();
    return this.#withdrawn;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.withdraw();
  }
}
