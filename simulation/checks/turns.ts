import type { Client } from '../world/client.js';
import type { Findings } from '../world/findings.js';
import type { Fact, StoreTruth } from '../world/store-truth.js';
import { type GuardedLine, kindOf } from './holding.js';

const promptMs = 300;

/**
 * Since when it is whose turn, by the store's order: whoever is connected and not troubled by anything is granted soon after. A silent
 * connection is noticed after a third of the session timeout.
 */
export class Turns {
  readonly #truth: StoreTruth;
  readonly #findings: Findings;
  readonly #now: () => number;
  readonly #lines = new Map<string, GuardedLine>();
  // By their creation: a name is given again.
  readonly #since = new Map<bigint, number>();
  readonly #entered = new Map<bigint, number>();

  constructor(truth: StoreTruth, findings: Findings, now: () => number) {
    this.#truth = truth;
    this.#findings = findings;
    this.#now = now;
    truth.onChange(({ dir }) => this.#changed(dir));
  }

  follow(line: GuardedLine): void {
    this.#lines.set(line.dir, line);
  }

  /**
   * That entry was granted, in this turn. Of several permits one may stay idle until the session of somebody is over who was next and could not tell
   * whoever is behind: the semaphore's documentation says so.
   */
  granted({ dir, permits }: GuardedLine, client: Client, { name, created }: Fact): void {
    const turnMs = this.#since.get(created);
    const enteredMs = this.#entered.get(created);
    if (turnMs === undefined || enteredMs === undefined || !client.connected) return;
    const { settledMs, sessionTimeoutMs, world } = client;
    const involved = permits === 1 ? [client] : world.clients.filter(({ process }) => !process.dead);
    const longestMs = Math.max(...involved.map(({ wire }) => wire.longestMs));
    // Where a round trip comes near the limit of a request nothing is prompt.
    if (longestMs > sessionTimeoutMs / 16) return;
    const waitedMs = this.#now() - Math.max(turnMs, settledMs);
    // After a trouble, whatever is asked again may be in the longest of its pauses.
    const troubledMs = permits === 1 ? settledMs : Math.max(settledMs, world.troubledMs);
    const limitMs = troubledMs <= enteredMs ? promptMs + 8 * longestMs : 1.1 * sessionTimeoutMs + 2_500;
    if (waitedMs > limitMs)
      this.#findings.report(
        'granted-late',
        `${client.name} in ${dir}: ${name} was granted ${waitedMs.toFixed(0)} ms after its turn came`,
      );
  }

  #changed(dir: string): void {
    const line = this.#lines.get(dir);
    if (line === undefined) return;
    const present = this.#truth.present(dir);
    for (const [index, fact] of present.entries()) {
      if (!this.#entered.has(fact.created)) this.#entered.set(fact.created, this.#now());
      if (this.#since.has(fact.created)) continue;
      const ahead = present.slice(0, index).filter((other) => line.excludes(kindOf(fact), kindOf(other)));
      if (ahead.length < line.permits) this.#since.set(fact.created, this.#now());
    }
  }
}
