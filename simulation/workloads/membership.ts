import { CoordinationError, type Membership, type MembershipState } from '@concordat/core';
import { kindOf } from '../checks/holding.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { Past } from '../world/store-truth.js';
import { duration } from './workload.js';

/** Where the members of the one group stand. */
export const crew = 'group/crew';

/** Who asks for which id, and who has it. */
export class Ids {
  readonly #asking = new WeakMap<Client, string[]>();
  /** Who had it, and until when. */
  readonly #joined = new Map<string, Map<Client, number>>();

  /** Whether this client asked for it before, and has not come to the end of it. */
  asks(client: Client, id: string): boolean {
    const asking = this.#asking.get(client) ?? [];
    this.#asking.set(client, [...asking, id]);
    return asking.includes(id);
  }

  forgets(client: Client, id: string): void {
    const asking = this.#asking.get(client) ?? [];
    asking.splice(asking.indexOf(id), 1);
    const joined = this.#joined.get(id);
    if (joined?.has(client) === true) joined.set(client, client.world.scheduler.now);
  }

  joins(client: Client, id: string): void {
    const joined = this.#joined.get(id) ?? new Map<Client, number>();
    this.#joined.set(id, joined.set(client, Number.POSITIVE_INFINITY));
  }

  /** Whether another client was told to have it, and was not told otherwise before that, or died with it. */
  hadOther(client: Client, id: string, sinceMs: number): boolean {
    return [...(this.#joined.get(id) ?? [])].some(([other, untilMs]) => other !== client && untilMs >= sinceMs);
  }
}

/** One membership from its joining to its end, and what has to hold of it. */
export class Stay {
  readonly #client: Client;
  readonly #membership: Membership<string>;
  readonly #ids: Ids;
  #last = -1n;
  #awayMs = 0;

  constructor(client: Client, membership: Membership<string>, ids: Ids) {
    this.#client = client;
    this.#membership = membership;
    this.#ids = ids;
    membership.state$.subscribe((state) => this.#moved(state));
    membership.signal.addEventListener('abort', () => this.#over());
  }

  /** Stays for a while, says something else now and then, and leaves. */
  async last(random: Random): Promise<void> {
    const client = this.#client;
    const membership = this.#membership;
    for (let turns = random.whole(0, 2); turns > 0; turns--) {
      await client.sleep(duration(client, random));
      if (membership.signal.aborted) return;
      if (random.chance(0.5)) {
        const timeoutMs = Math.round(random.spread(50, 2 * client.sessionTimeoutMs));
        const updating = membership.update(`${client.name} ${turns}`, { timeoutMs });
        const codes = ['TIMEOUT', 'OUTCOME_UNKNOWN', 'GRANT_LOST', 'ALREADY_EXISTS'] as const;
        await client.attempt('update', codes, client.bounded('update', timeoutMs, updating));
      }
    }
    await client.bounded('leave', 2 * client.sessionTimeoutMs, membership.leave());
    const mine = this.#entry;
    if (mine === null || mine.goneMs !== Number.POSITIVE_INFINITY) return;
    if (mine.owner === client.session && !client.closing)
      client.report('released-and-there', `${membership.id} with token ${membership.token}`);
  }

  /** Tokens rise with each return, and whoever is told to be a member is the first in the store with that id. */
  #moved(state: MembershipState): void {
    const client = this.#client;
    const { id } = this.#membership;
    client.note(`member ${id} ${state.state}`);
    if (state.state === 'away') this.#awayMs = client.world.scheduler.now;
    if (state.state !== 'member') return;
    if (state.token <= this.#last)
      client.report('token-not-rising', `${id} returns with ${state.token} after ${this.#last}`);
    this.#last = state.token;
    this.#ids.joins(client, id);
    const mine = this.#entry;
    if (mine === null || mine.goneMs !== Number.POSITIVE_INFINITY) {
      if (mine === null || !client.world.truth.wasByHand(mine))
        client.report('granted-without-entry', `${id} with ${state.token}`);
      return;
    }
    const older = client.world.truth
      .present(crew)
      .filter(
        (other) =>
          kindOf(other) === kindOf(mine) && other.created < mine.created && !client.sessions.has(other.owner ?? ''),
      );
    if (older.length > 0)
      client.report('granted-out-of-turn', `${id}: ${older.map(({ name }) => name).join(', ')} are older`);
  }

  #over(): void {
    const client = this.#client;
    const { id, signal } = this.#membership;
    const reason: unknown = signal.reason;
    if (CoordinationError.is(reason, 'ALREADY_EXISTS') && !this.#ids.hadOther(client, id, this.#awayMs))
      client.report('lost-without-cause', `${id}: nobody else had joined with it`);
    // Who returns waits for somebody who may be about to go with his session.
    const soughtMs = client.world.scheduler.now - client.openedMs;
    if (CoordinationError.is(reason, 'ALREADY_EXISTS') && soughtMs < client.sessionTimeoutMs)
      client.report('gave-up-too-early', `${id}: ${soughtMs.toFixed(0)} ms after its return`);
    if (!CoordinationError.is(reason, 'GRANT_LOST')) return;
    client.world.findings.count('lost');
    const mine = this.#entry;
    if (mine !== null && !client.world.truth.wasRemovedByHand(mine))
      client.report('lost-without-cause', `${id}: nobody removed ${mine.name} by hand`);
  }

  get #entry(): Past | null {
    const { truth, climate } = this.#client.world;
    return truth.created(crew, this.#last - climate.tokenBase);
  }
}
