import type { EntryGrant, Grant } from '../../lines/grant.js';
import { run } from '../../work.js';
import type { CampaignOptions } from './campaign.js';
import type { Candidacy, Candidate } from './candidate.js';
import type { Office } from './office.js';

/** A candidate that works while it leads. */
interface Working<R> extends Candidacy {
  /** What the work of the one term answered; `undefined` where there may be many, or it resigned. */
  answer(): R | undefined;
}

/** Each term is one run of `work`, and ends when that has settled and the entry was left. */
export function serveByWork<R>(
  candidate: Candidate,
  office: Office,
  work: (grant: Grant) => R | PromiseLike<R>,
  { requeue = true, signal }: CampaignOptions<unknown>,
): Working<R> {
  let answer: R | undefined;
  return {
    answer: () => answer,
    waiting: () => undefined,
    serve: async (grant) => {
      const working = take(office, grant, work);
      const [outcome] = await Promise.allSettled([working]);
      const lost = grant.lost();
      await grant.release();
      if (outcome.status === 'fulfilled' && lost === null) {
        if (!requeue && !candidate.resigned) answer = outcome.value;
        return requeue;
      }
      if (signal?.aborted === true) throw signal.reason;
      if (lost === null && outcome.status === 'rejected') throw outcome.reason;
      if (lost !== null && !requeue) throw lost;
      return true;
    },
  };
}

function take<R>(office: Office, grant: EntryGrant, work: (grant: Grant) => R | PromiseLike<R>): Promise<R> {
  return new Promise((resolve) => {
    office.take(grant, { leading: () => resolve(run(work, grant)), lost: () => undefined });
  });
}
