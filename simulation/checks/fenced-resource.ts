import { fencing } from '@concordat/core';
import type { Findings } from '../world/findings.js';
import type { Holding } from './holding.js';

/**
 * What a line guards, behind a `TokenGate`: writes arrive late, also of holders who are none any more. Checks the gate from outside: accepted
 * tokens never fall, and the accepted writes of two grants do not interleave.
 */
export class FencedResource {
  readonly #name: string;
  readonly #findings: Findings;
  readonly #gate = new fencing.TokenGate();
  readonly #done = new Set<Holding>();
  #last: Holding | null = null;

  constructor(name: string, findings: Findings) {
    this.#name = name;
    this.#findings = findings;
  }

  /** A write arrives. */
  write(holding: Holding): void {
    const last = this.#last;
    if (!this.#gate.accept(this.#name, holding.token)) {
      this.#findings.count('refused');
      if (last !== null && holding.token >= last.token)
        this.#findings.report('refused-by-mistake', `${holding.title}, after ${last.title}`);
      return;
    }
    this.#findings.count('written');
    if (last === holding) return;
    if (last !== null) this.#done.add(last);
    this.#last = holding;
    if (last !== null && holding.token <= last.token)
      this.#findings.report('stale-write-accepted', `${holding.title}, after ${last.title}`);
    if (this.#done.has(holding))
      this.#findings.report('writes-interleave', `${holding.title}, after ${last?.title ?? ''}`);
  }
}
