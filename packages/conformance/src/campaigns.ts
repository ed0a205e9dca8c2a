import type { Campaign, CampaignOptions, Election, Grant } from '@concordat/core';
import type { Observable } from 'rxjs';
import { Exclusion } from './exclusion.js';
import { Recorder } from './recorder.js';

/** One candidate, with everything its campaign said so far. */
export class Candidate extends Recorder<Campaign> {
  static of<T>(election: Election<T>, options?: CampaignOptions<T>): Candidate {
    return new Candidate(election.campaign(options));
  }

  /** What it said, in short. */
  get said(): readonly string[] {
    return this.values.map(({ state }) => state);
  }

  /** Waits until it leads as far as it said last. */
  async leads(withinMs?: number): Promise<Grant> {
    const campaign = await this.settles(({ state }) => state === 'leading', withinMs);
    if (campaign.state !== 'leading') throw new Error('it does not lead');
    return campaign.grant;
  }

  /** Waits until it was told a loss, and answers the first reason. */
  async lost(withinMs?: number): Promise<unknown> {
    const campaign = await this.first(({ state }) => state === 'lost', withinMs);
    return campaign.state === 'lost' ? campaign.reason : undefined;
  }
}

/** Judges every leader of these campaigns; see {@link Exclusion}. */
export function judge(...campaigns: readonly Observable<Campaign>[]): Exclusion {
  const exclusion = new Exclusion();
  for (const campaign of campaigns)
    campaign.subscribe((at) => {
      if (at.state === 'leading') exclusion.granted(at.grant);
    });
  return exclusion;
}
