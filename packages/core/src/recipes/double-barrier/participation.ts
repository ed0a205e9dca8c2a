import { filter, merge, Subject } from 'rxjs';
import type { Context } from '../../context.js';
import { CoordinationError } from '../../errors.js';
import { encodeName } from '../../names.js';
import { isAlive, seemsOver } from '../../shared-state/liveness.js';
import { type Seen, SharedState, type Verdict } from '../../shared-state/shared-state.js';
import { Steps } from '../../shared-state/steps.js';
import type { Wait } from '../../wait.js';
import { findMember, type Member, noRound, type Round, rounds, withoutDead, withoutMember } from './round.js';

type Step<R> = (seen: Seen<Round>) => Verdict<Round, R>;

/** One way through a double barrier: in, and out again. */
export class Participation {
  readonly #context: Context;
  readonly #name: string;
  readonly #parties: number;
  readonly #rounds: SharedState<Round>;
  readonly #steps: Steps;
  #last: Round | null = null;
  #tried = false;
  #withdrawn: Promise<void> = Promise.resolve();
  readonly #refusals$ = new Subject<CoordinationError>();
  #watched: Member | null = null;
  /** The round that it was counted in. */
  #counted: number | null = null;

  constructor(context: Context, name: string, parties: number) {
    this.#context = context;
    this.#name = name;
    this.#parties = parties;
    this.#rounds = new SharedState(context, `double/${encodeName(name)}`, rounds, noRound);
    this.#steps = new Steps(context.events, { primitive: 'double', name });
  }

  /** For the message of a timeout: what was seen last. */
  describe(what: string): string {
    const text = `double barrier "${this.#name}" was not ${what}`;
    if (this.#last === null) return text;
    const { phase, members, parties } = this.#last;
    const count = String(members.length);
    return phase === 'inside' ? `${text}: ${count} inside` : `${text}: ${count} of ${String(parties)} there`;
  }

  /** Resolves when nothing of one that could not enter, or that left, is there any more; rejects when taking it out is refused once more, which goes on. */
  takenBack(): Promise<void> {
    return new Promise((resolve, reject) => {
      const subscription = this.#refusals$.subscribe(reject);
      void this.#withdrawn.then(() => {
        subscription.unsubscribe();
        resolve();
      });
    });
  }

  async enter(wait: Wait): Promise<void> {
    try {
      await this.#rounds.settle(wait, (seen) => this.#entering(wait, seen));
    } catch (reason) {
      this.#steps.gaveUp(reason);
      if (this.#tried) this.#withdrawn = this.#withdraw();
      throw reason;
    }
  }

  async leave(wait: Wait): Promise<void> {
    const hasLeft = await wait.race(this.#takeOut());
    if (!hasLeft) throw this.#lost('the session was lost, and the others went on without this participant');
    await this.#rounds.settle(wait, (seen) => {
      this.#last = seen.state;
      if (this.#isForgotten(seen.state)) throw this.#lost('the store went back, and cannot tell who has left');
      return seen.state.round === this.#counted ? this.#outlast(wait, seen) : { done: undefined };
    });
  }

  async #entering(wait: Wait, seen: Seen<Round>): Promise<Verdict<Round, undefined>> {
    const round = seen.state;
    this.#last = round;
    const mine = this.#find(round);
    if (mine !== undefined && round.phase === 'inside') {
      this.#counted = round.round;
      return { done: undefined };
    }
    if (round.lost.includes(this.#steps.id)) return { done: undefined };
    if (mine !== undefined && mine.session === this.#session) {
      return { wake$: this.#rounds.after(seen).pipe(filter((next) => !this.#isGathered(next))) };
    }
    if (mine !== undefined) this.#steps.requeued();
    const others = round.members.filter(({ id }) => id !== this.#steps.id);
    if (others.length > 0 && round.parties !== this.#parties) {
      if ((await this.#living(wait, others)).length > 0) throw this.#disagreement(round);
      return this.#join(withoutDead(round, others), []);
    }
    if (round.phase === 'inside') return this.#outlast(wait, seen);
    const isComplete = others.length + 1 >= this.#parties;
    return this.#join(round, isComplete ? await this.#living(wait, others) : others);
  }

  #join(round: Round, others: readonly Member[]): Verdict<Round, never> {
    const members = [...others, { id: this.#steps.id, session: this.#session }];
    const phase = members.length >= this.#parties ? 'inside' : 'gathering';
    this.#tried = true;
    return { write: { ...round, parties: this.#parties, phase, members } };
  }

  /** Until this round is over: watches one of its members, and takes it out when it is dead. */
  async #outlast(wait: Wait, seen: Seen<Round>): Promise<Verdict<Round, never>> {
    const { members } = seen.state;
    const watched = members.find(({ id }) => id === this.#watched?.id);
    if (watched !== undefined && !(await isAlive(this.#context, wait, watched.session)))
      return { write: withoutDead(seen.state, [watched]) };
    // At random, so that many who wait look at different ones, and seldom at the next to leave.
    const next = watched ?? members[Math.floor(Math.random() * members.length)] ?? null;
    this.#watched = next;
    const left = this.#rounds.after(seen).pipe(filter((round) => findMember(round, next?.id) === undefined));
    return { wake$: next === null ? left : merge(left, seemsOver(this.#context, next.session)) };
  }

  async #living(wait: Wait, members: readonly Member[]): Promise<readonly Member[]> {
    const alive = await Promise.all(members.map(({ session }) => isAlive(this.#context, wait, session)));
    return members.filter((_, index) => alive[index]);
  }

  /** Resolves when it is out: false when others had taken it for dead; rejects when that is refused. Goes on when its caller has gone, or was refused. */
  #takeOut(): Promise<boolean> {
    let tried = false;
    const step: Step<boolean> = ({ state, stored }) => {
      if (this.#find(state) !== undefined) {
        tried = true;
        return { write: withoutMember(state, this.#steps.id) };
      }
      // After a lost reply it was our own write, unless others took us for dead.
      return { done: stored || (tried && !state.lost.includes(this.#steps.id) && !this.#isForgotten(state)) };
    };
    return new Promise((resolve, reject) => {
      const leaving = this.#behind(step, (reason) => {
        reject(reason);
        this.#refusals$.next(reason);
      });
      this.#withdrawn = leaving.then(resolve, reject);
    });
  }

  // Writes also where it finds nothing: the entering may be on its way still, and compares the version.
  #withdraw(): Promise<void> {
    const writing: Step<undefined> = ({ state, stored }) =>
      stored ? { done: undefined } : { write: withoutMember(state, this.#steps.id) };
    return this.#behind(writing, (reason) => this.#refusals$.next(reason)).catch(() => undefined);
  }

  #behind<R>(step: Step<R>, refused: (reason: CoordinationError) => void = () => undefined): Promise<R> {
    return this.#rounds.settleBehind(step, (reason, isRefusal) => {
      this.#steps.cleanupFailed(reason);
      if (isRefusal) refused(reason);
    });
  }

  get #session(): string {
    return this.#context.session.state.id ?? '';
  }

  #find(round: Round): Member | undefined {
    return findMember(round, this.#steps.id);
  }

  /** Whether the store went back to before the round that it was counted in, and cannot tell any more who has left. */
  #isForgotten({ round, phase }: Round): boolean {
    return this.#counted !== null && (round < this.#counted || (round === this.#counted && phase === 'gathering'));
  }

  #isGathered(round: Round): boolean {
    return round.phase === 'gathering' && this.#find(round) !== undefined;
  }

  #lost(why: string): CoordinationError {
    return new CoordinationError('GRANT_LOST', `double barrier "${this.#name}": ${why}`);
  }

  #disagreement({ parties }: Round): CoordinationError {
    const message = `double barrier "${this.#name}" was asked for with ${String(this.#parties)} parties, while others count ${String(parties)}`;
    return new CoordinationError('CONFLICT', message);
  }
}
