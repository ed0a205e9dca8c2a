import type { CoordinationError, Grant } from '@concordat/core';
import type { Client } from '../world/client.js';
import type { Findings } from '../world/findings.js';
import type { Fact, Past, StoreTruth } from '../world/store-truth.js';
import { FencedResource } from './fenced-resource.js';
import { type GuardedLine, Holding, kindOf } from './holding.js';

/**
 * Everybody who holds something, compared with the store and with each other in the very turn in which something is granted, used, or lost.
 *
 * What an operator removed by hand is excused: whoever held it is told by a message, and others may be granted before that arrives.
 */
export class Grants {
  readonly #truth: StoreTruth;
  readonly #findings: Findings;
  readonly #tokenBase: bigint;
  readonly #now: () => number;
  readonly #open = new Map<string, Set<Holding>>();
  readonly #highest = new Map<string, Holding>();
  readonly #resources = new Map<string, FencedResource>();

  /** @param now in milliseconds of virtual time. */
  constructor(truth: StoreTruth, findings: Findings, tokenBase: bigint, now: () => number) {
    this.#truth = truth;
    this.#findings = findings;
    this.#tokenBase = tokenBase;
    this.#now = now;
  }

  /** Somebody was granted something, in this turn. */
  granted(line: GuardedLine, client: Client, grant: Grant, watched: boolean): Holding {
    const { token } = grant;
    const mine = this.#truth.created(line.dir, token - this.#tokenBase);
    const holding = new Holding(line, client, grant, token, mine === null ? '' : kindOf(mine), mine?.owner ?? null);
    this.#findings.count('granted');
    if (mine === null) this.#report('granted-without-entry', holding, 'no entry was ever created with it');
    else this.#checkPlace(holding, mine);
    this.#checkOrder(holding);
    this.#checkOthers(holding);
    if (mine !== null) client.world.turns.granted(line, client, mine);
    this.#openOf(line).add(holding);
    if (watched) grant.signal.addEventListener('abort', () => this.#over(holding), { once: true });
    return holding;
  }

  /** Whether its holder still believes in it; who does must be right. */
  believes(holding: Holding): boolean {
    if (!holding.believed) {
      this.#openOf(holding.line).delete(holding);
      return false;
    }
    const mine = this.#entryOf(holding);
    this.#findings.count('asserted');
    if (mine === null || this.#stands(holding, mine)) return true;
    if (!this.#truth.wasByHand(mine))
      this.#report('held-without-entry', holding, 'assertHeld passes, and its entry is not in the store');
    else if (this.#isLongAgo(holding.client, mine.goneMs))
      this.#report('not-told', holding, 'its entry was removed by hand long ago');
    return true;
  }

  /** Its holder gives it back, in this turn. */
  released(holding: Holding): void {
    holding.released = true;
    this.#openOf(holding.line).delete(holding);
  }

  /** What is guarded by that line, and checks the tokens itself. */
  resource(line: GuardedLine): FencedResource {
    const known = this.#resources.get(line.dir);
    if (known !== undefined) return known;
    const resource = new FencedResource(line.dir, this.#findings);
    this.#resources.set(line.dir, resource);
    return resource;
  }

  /** Whether its entry is in the store. */
  standing(holding: Holding): boolean {
    const mine = this.#entryOf(holding);
    return mine !== null && this.#stands(holding, mine);
  }

  // Who is ahead by the store's order can only get fewer, so this holds now if it held when the store said so.
  #checkPlace(holding: Holding, mine: Past): void {
    const { line, kind } = holding;
    if (!this.#stands(holding, mine)) {
      if (!this.#truth.wasByHand(mine) || this.#isLongAgo(holding.client, mine.goneMs))
        this.#report('granted-without-entry', holding, 'its entry is gone');
      return;
    }
    const ahead = this.#truth
      .present(line.dir)
      .filter((other) => other.created < mine.created && line.excludes(kind, kindOf(other)));
    if (ahead.length >= line.permits)
      this.#report('granted-out-of-turn', holding, `ahead: ${ahead.map(({ name }) => name).join(', ')}`);
  }

  #checkOrder(holding: Holding): void {
    const { line, token, kind } = holding;
    if (!line.excludes(kind, kind)) return;
    const last = this.#highest.get(`${line.dir} ${kind}`);
    const mine = this.#entryOf(holding);
    const excused = mine !== null && this.#truth.wasByHand(mine);
    if (line.permits === 1 && last !== undefined && token <= last.token && !excused)
      this.#report('token-not-rising', holding, `after ${last.title}`);
    if (last === undefined || token > last.token) this.#highest.set(`${line.dir} ${kind}`, holding);
  }

  #checkOthers(holding: Holding): void {
    const { line, kind, client } = holding;
    if (!client.process.attentive) return;
    const rivals = [...this.#openOf(line)].filter(
      (other) => other.client.process.attentive && line.excludes(kind, other.kind) && other.believed,
    );
    if (rivals.length < line.permits) return;
    const unexcused = [holding, ...rivals].filter((each) => {
      const fact = this.#entryOf(each);
      return fact === null || !this.#truth.wasByHand(fact);
    });
    const titles = rivals.map(({ title }) => title).join(', ');
    if (unexcused.length > line.permits) this.#report('overlapping-beliefs', holding, `beside ${titles}`);
    this.#findings.count('overlap');
  }

  #over(holding: Holding): void {
    const { client, grant, session } = holding;
    const reason: unknown = grant.signal.reason;
    this.#openOf(holding.line).delete(holding);
    if (holding.released || !isLoss(reason)) return;
    if (reason.code !== 'GRANT_LOST') return;
    this.#findings.count('lost');
    const mine = this.#entryOf(holding);
    const cause = reason.cause;
    if (isLoss(cause) && cause.code === 'NOT_FOUND') {
      if (mine !== null && this.#stands(holding, mine))
        this.#report('lost-without-cause', holding, 'it is told to be deleted, and its entry is in the store');
      return;
    }
    // One loss is one turn: whoever is told first must not meet somebody of the same session who still believes.
    const others = [...this.#open.values()].flatMap((open) => [...open]);
    for (const other of others) {
      if (other.client !== client || other.session !== session) continue;
      this.#findings.count('lost together');
      if (other.believed) this.#report('loss-in-parts', holding, `${other.title} passes while this one is told`);
    }
  }

  // A heartbeat that was sent after it has been confirmed by now, on the same connection as whatever tells of it.
  #isLongAgo({ connected, sessionTimeoutMs }: Client, goneMs: number): boolean {
    return connected && this.#now() - goneMs > sessionTimeoutMs / 2;
  }

  #entryOf({ line, token }: Holding): Past | null {
    return this.#truth.created(line.dir, token - this.#tokenBase);
  }

  #stands({ line }: Holding, { name, created }: Fact): boolean {
    return this.#truth.get(line.dir, name)?.created === created;
  }

  #openOf({ dir }: GuardedLine): Set<Holding> {
    const known = this.#open.get(dir);
    if (known !== undefined) return known;
    const open = new Set<Holding>();
    this.#open.set(dir, open);
    return open;
  }

  #report(rule: string, { title }: Holding, detail: string): void {
    this.#findings.report(rule, `${title}: ${detail}`);
  }
}

function isLoss(reason: unknown): reason is CoordinationError {
  return typeof reason === 'object' && reason !== null && 'code' in reason;
}
