import type { Campaign, CoordinationError, Coordinator, Grant, MembershipState } from '@concordat/core';
import { Recorder } from './recorder.js';

/** A lock, a permit, an office and a membership of one coordinator, and what became of each. */
export class Holdings {
  readonly grants: readonly Grant[];
  readonly #campaign: Recorder<Campaign>;
  readonly #membership: Recorder<MembershipState>;

  private constructor(grants: readonly Grant[], campaign: Recorder<Campaign>, membership: Recorder<MembershipState>) {
    this.grants = grants;
    this.#campaign = campaign;
    this.#membership = membership;
  }

  /** Takes all four under one name, and resolves once it has them; the office for one term. */
  static async take(coordinator: Coordinator, name: string, member: string): Promise<Holdings> {
    const grants = [await coordinator.lock(name).acquire(), await coordinator.semaphore(name, 1).acquire()];
    const campaign = new Recorder(coordinator.election(name).campaign({ requeue: false }));
    const joined = await coordinator.group(name).join(member, member);
    const membership = new Recorder(joined.state$);
    await campaign.settles(({ state }) => state === 'leading');
    return new Holdings(grants, campaign, membership);
  }

  /** Whether anything of it is believed to be held. */
  get held(): boolean {
    return this.grants.some(({ signal }) => !signal.aborted) || this.#lost === undefined;
  }

  /** Why each of the four was lost: what the loss was caused by. */
  get causes(): readonly unknown[] {
    const away = this.#membership.values.find((at) => at.state === 'away');
    const reasons = [...this.grants.map(({ signal }) => signal.reason as CoordinationError), this.#lost?.reason];
    return [...reasons.map((reason) => reason?.cause), away?.state === 'away' ? away.reason : undefined];
  }

  get #lost(): Extract<Campaign, { readonly state: 'lost' }> | undefined {
    return this.#campaign.values.find((at) => at.state === 'lost');
  }
}
