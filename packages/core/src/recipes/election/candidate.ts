import { passOn } from '../../abort-fan.js';
import type { Context } from '../../context.js';
import type { WaitOptions } from '../../limits.js';
import type { EntryGrant } from '../../lines/grant.js';
import { OwnLeaving } from '../../lines/own-leaving.js';
import type { Queue } from '../../lines/queue.js';
import { Standing } from '../../lines/standing.js';
import { waitForTurn } from '../../lines/turn.js';
import { Wait } from '../../wait.js';

/** What a candidate is in it for. */
export interface Candidacy {
  /** It begins to wait; told once for each term. */
  waiting(): void;
  /**
   * It leads: called in the very turn in which the clock was asked. The term lasts until this resolves; with true, the candidate
   * stands again.
   */
  serve(grant: EntryGrant): Promise<boolean>;
}

/** One candidate: stands in line, leads, stands in line again. Never with two entries at once. */
export class Candidate {
  readonly #context: Context;
  readonly #queue: Queue;
  readonly #limits: WaitOptions;
  readonly #leaving: OwnLeaving;
  readonly #given = new AbortController();
  readonly #stopListening: () => void;
  #resigned = false;
  #running: Promise<void> = Promise.resolve();
  #term: Promise<boolean> = Promise.resolve(true);
  #grant: EntryGrant | null = null;

  /** @param limits bound each wait for a turn, and nothing else. */
  constructor(context: Context, queue: Queue, limits: WaitOptions) {
    this.#leaving = new OwnLeaving(context.leaving);
    this.#context = { ...context, leaving: this.#leaving };
    this.#queue = queue;
    const { signal, timeoutMs } = limits;
    this.#limits = { signal: this.#given.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    this.#stopListening = passOn(signal, this.#given);
  }

  /** True once it was told to resign: it is never elected after. */
  get resigned(): boolean {
    return this.#resigned;
  }

  /** Resolves when it is done or has resigned; rejects with what ended a wait, or with what the term rejected with. */
  run(candidacy: Candidacy): Promise<void> {
    this.#running = this.#run(candidacy);
    return this.#running;
  }

  /** Steps down: what it leads is over at once. Resolves when the term has come to its end and no entry is left; never rejects. */
  async resign(): Promise<void> {
    this.#resigned = true;
    this.#given.abort();
    this.#grant?.stepDown();
    await Promise.allSettled([this.#running]);
    await this.#leaving.settled();
  }

  /** Resigns for a subscriber who has gone. */
  withdraw(): void {
    this.#resigned = true;
    this.#given.abort();
    // Teardown runs before what was switched onto the grant is stopped: that goes first.
    queueMicrotask(() => void this.resign());
  }

  async #run(candidacy: Candidacy): Promise<void> {
    try {
      do await this.#stand(candidacy);
      while (await this.#term);
    } catch (reason) {
      if (!this.#resigned) throw reason;
    } finally {
      this.#stopListening();
      void this.#grant?.release();
    }
  }

  /** Waits for one turn and begins one term. */
  async #stand(candidacy: Candidacy): Promise<void> {
    const { session, clock } = this.#context;
    const standing = new Standing(this.#queue);
    const wait = new Wait(this.#limits, session, clock, () => standing.describe());
    try {
      wait.check();
      candidacy.waiting();
      for (;;) {
        if (this.#grant !== null) await wait.race(this.#grant.release());
        this.#grant = await waitForTurn(this.#context, this.#queue, wait, standing);
        // It may have ended between the store's word and here: then it was no term.
        if (!wait.ended && this.#grant.held) break;
      }
      this.#term = candidacy.serve(this.#grant);
    } finally {
      wait.finish();
    }
  }
}
