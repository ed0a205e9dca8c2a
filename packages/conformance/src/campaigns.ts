import type { Campaign, CampaignOptions, Election, Grant } from '@concordat/core';
import type { Observable } from 'rxjs';
import { Exclusion } from './exclusion.js';
import type { Client, Fixture } from './fixture.js';
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

/** A leader and one who waits, both of one election object, and behind them a candidate of another client. */
export async function threeCandidates(fixture: Fixture) {
  const [one, other] = (await fixture.clients(2)) as [Client, Client];
  const own = one.coordinator.election('a');
  const leader = Candidate.of(own);
  const grant = await leader.leads();
  const waiting = Candidate.of(own);
  await fixture.lineOf('election/a', 2);
  const next = Candidate.of(other.coordinator.election('a'));
  const line = await fixture.lineOf('election/a', 3);
  return { one, own, grant, leader, waiting, next, line };
}
