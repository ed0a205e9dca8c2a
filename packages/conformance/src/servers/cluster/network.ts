import type { Pipe, Rules } from './pipe.js';
import { open, type Rule } from './rule.js';

/** Whoever sends and hears: a member of a cluster, or the way of a client. */
export interface Party {
  /** Unique in its network. */
  readonly name: string;
}

/** Who hears whom, and the connections that obey it. Each direction of each pair has a rule of its own. */
export class Network {
  readonly #rules = new Map<string, Rule>();
  readonly #pipes = new Set<Pipe>();

  /** Sets what becomes of the bytes from one party to another; what is not said stays as it was. */
  set(from: Party, to: Party, change: Partial<Rule>): void {
    this.#rules.set(pairOf(from, to), { ...this.rule(from, to), ...change });
    this.#follow();
  }

  /** Ends every fault. */
  heal(): void {
    this.#rules.clear();
    this.#follow();
  }

  rule(from: Party, to: Party): Rule {
    return this.#rules.get(pairOf(from, to)) ?? open;
  }

  /** The rules for a connection that `from` opens to `to`. */
  between(from: Party, to: Party): Rules {
    return { there: () => this.rule(from, to), back: () => this.rule(to, from) };
  }

  add(pipe: Pipe): void {
    for (const known of this.#pipes) if (known.over) this.#pipes.delete(known);
    this.#pipes.add(pipe);
  }

  /** Ends every connection. */
  close(): void {
    for (const pipe of this.#pipes) pipe.break();
    this.#pipes.clear();
  }

  #follow(): void {
    for (const pipe of this.#pipes) pipe.follow();
  }
}

function pairOf(from: Party, to: Party): string {
  return `${from.name} ${to.name}`;
}
