import type { Campaign, Election } from '@concordat/core';
import type { GuardedLine, Holding } from '../checks/holding.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import { describe } from '../world/world.js';
import { granted, work } from './critical-section.js';
import { limits } from './workload.js';

/** One campaign, from its subscription to whatever ends it; states follow each other as they may. */
export class StreamedCandidate {
  /** Resolves when it is over, whatever ended it. */
  readonly over: Promise<void>;
  /** How often it was elected. */
  terms = 0;
  readonly #client: Client;
  readonly #random: Random;
  readonly #election: Election<string>;
  readonly #office: GuardedLine;
  readonly #mostTerms: number;
  #state: Campaign['state'] | null = null;
  #leads: Holding | null = null;
  #ended = false;

  constructor(client: Client, random: Random, election: Election<string>, office: GuardedLine) {
    this.#client = client;
    this.#random = random;
    this.#election = election;
    this.#office = office;
    this.#mostTerms = random.whole(1, 2);
    const options = { ...limits(client, random), value: client.name, requeue: random.chance(0.7) };
    if (options.signal === undefined && random.chance(0.3)) options.signal = abortedAfterClose(client);
    this.over = new Promise((resolve) => {
      const end = (): void => {
        this.#ended = true;
        resolve();
      };
      const subscription = election.campaign(options).subscribe({
        next: (now) => this.#moved(now, () => void this.#stop(() => subscription.unsubscribe()).then(end)),
        error: (error: unknown) => {
          const aborted = options.signal?.aborted === true && error === options.signal.reason;
          const timedOut = options.timeoutMs !== undefined && describe(error).startsWith('[TIMEOUT]');
          if (!aborted && !timedOut) client.report('unexpected-error', `campaign: ${describe(error)}`);
          end();
        },
        complete: end,
      });
    });
  }

  #moved(now: Campaign, enough: () => void): void {
    const client = this.#client;
    if (this.#ended) client.report('told-after-the-end', `campaign: ${now.state}`);
    if (!follows[this.#state ?? 'start'].includes(now.state))
      client.report('illegal-campaign-move', `${this.#state ?? 'start'} → ${now.state}`);
    this.#state = now.state;
    client.note(`campaign ${now.state}`);
    if (now.state === 'lost') {
      const holding = this.#leads;
      this.#leads = null;
      if (holding !== null && now.reason.code !== 'GRANT_LOST') client.world.grants.released(holding);
      if (holding?.believed === true) client.report('held-after-loss', holding.title);
    }
    if (now.state !== 'leading') return;
    this.terms++;
    const holding = granted(client, this.#random, this.#office, now.grant);
    this.#leads = holding;
    void work(client, this.#random, holding).then(() => {
      if (this.terms >= this.#mostTerms || !client.working) enough();
      else void now.grant.release();
    });
  }

  async #stop(unsubscribe: () => void): Promise<void> {
    const client = this.#client;
    if (this.#leads !== null) client.world.grants.released(this.#leads);
    if (this.#random.chance(0.5)) return unsubscribe();
    await client.bounded('resign', 2 * client.sessionTimeoutMs, this.#election.resign());
  }
}

/** Aborts in the turn of a close, after it: that is too late to be anything but a close. */
function abortedAfterClose(client: Client): AbortSignal {
  const controller = new AbortController();
  client.whenClosing(() => controller.abort());
  return controller.signal;
}

const follows: Readonly<Record<Campaign['state'] | 'start', readonly Campaign['state'][]>> = {
  start: ['waiting'],
  waiting: ['leading'],
  leading: ['lost'],
  lost: ['waiting'],
};
