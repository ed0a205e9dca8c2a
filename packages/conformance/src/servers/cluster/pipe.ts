import { connect, type Socket } from 'node:net';
import type { Host } from '@concordat/core/spi';
import { Flow, type Opening } from './flow.js';
import type { Rule } from './rule.js';

const redialMs = 10;

/** What a connection is subject to, in both directions. */
export interface Rules {
  there(): Rule;
  back(): Rule;
}

/** Where a connection goes, and how. */
export interface Way {
  readonly host: Host;
  readonly rules: Rules;
  /** What it begins with is passed through this. */
  readonly opening: Opening | null;
  /** For how long a host that refuses it is asked again, in milliseconds: it was accepted here and can no longer be refused. */
  readonly patienceMs: number;
}

/**
 * One connection between two parties: what it begins with is held until nothing is held in either direction, since a handshake
 * needs both.
 */
export class Pipe {
  readonly #source: Socket;
  readonly #way: Way;
  readonly #redialUntil: number;
  #dialling = false;
  #target: Socket | null = null;
  #flows: readonly Flow[] = [];

  constructor(source: Socket, way: Way) {
    this.#source = source;
    this.#way = way;
    this.#redialUntil = performance.now() + way.patienceMs;
    source.pause();
    source.on('error', () => undefined);
    this.follow();
  }

  /** Whether both ends are gone. */
  get over(): boolean {
    return this.#source.destroyed && this.#target?.destroyed !== false;
  }

  /** Whether something was lost on its way. */
  get lost(): boolean {
    return this.#flows.some(({ lost }) => lost);
  }

  /** To be called when a rule has changed. */
  follow(): void {
    if (this.#target === null) this.#dial();
    else if (this.lost && !this.#is('lose')) this.break();
    else for (const flow of this.#flows) flow.follow();
  }

  /** Ends both sides at once. */
  break(): void {
    this.#source.destroy();
    this.#target?.destroy();
  }

  #dial(): void {
    if (this.#dialling || this.#source.destroyed || this.#is('hold')) return;
    this.#dialling = true;
    const { host, rules, opening } = this.#way;
    const target = connect({ ...host, noDelay: true, allowHalfOpen: true });
    target.on('error', () => undefined);
    const refused = (): void => this.#refused();
    target.once('close', refused);
    target.once('connect', () => {
      target.off('close', refused);
      this.#dialling = false;
      this.#target = target;
      this.#flows = [new Flow(this.#source, target, rules.there, opening), new Flow(target, this.#source, rules.back)];
    });
  }

  #refused(): void {
    this.#dialling = false;
    if (performance.now() < this.#redialUntil) setTimeout(() => this.#dial(), redialMs);
    else this.#source.destroy();
  }

  #is(mode: Rule['mode']): boolean {
    const { there, back } = this.#way.rules;
    return there().mode === mode || back().mode === mode;
  }
}
