import type { Findings } from '../world/findings.js';

/** One time that the work of a key ran, or began to. */
export interface Execution {
  readonly key: string;
  readonly by: string;
  /** What it answers, unlike any other. */
  readonly answer: string;
  /** Whether its caller agreed to run it a second time. */
  readonly consented: boolean;
  /** How its work ended; `null` while it runs, or when its process died. */
  ended: 'answered' | 'threw' | null;
}

/** What ran for each key: at most once without consent, and one answer for everybody. */
export class Executions {
  readonly #findings: Findings;
  readonly #all = new Map<string, Execution[]>();
  readonly #answers = new Map<string, string>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** The work of a key begins. */
  begins(key: string, by: string, consented: boolean): Execution {
    const before = this.#all.get(key) ?? [];
    const execution: Execution = {
      key,
      by,
      answer: `${key} by ${by}, number ${before.length}`,
      consented,
      ended: null,
    };
    this.#findings.count('executed');
    // One that threw freed the key, unless somebody consented to it: what ran before that may have ended well.
    const interrupted = before.find(({ ended }) => ended !== 'threw');
    if (interrupted !== undefined && !consented)
      this.#findings.report(
        'ran-twice',
        `${by} runs ${key} without consent after ${interrupted.by} (${interrupted.ended ?? 'unfinished'})`,
      );
    if (this.#answers.has(key)) this.#findings.report('ran-twice', `${by} runs ${key}, whose answer is recorded`);
    this.#all.set(key, [...before, execution]);
    return execution;
  }

  ends(execution: Execution, how: 'answered' | 'threw'): void {
    execution.ended = how;
  }

  /** A caller was told what its work threw: that work ran. */
  failed(key: string, executed: readonly Execution[]): void {
    if (!executed.some(({ ended }) => ended === 'threw'))
      this.#findings.report('wrong-answer', `${key}: a failure of nothing`);
  }

  /** A caller was given an answer. */
  answered(key: string, by: string, answer: string): void {
    const known = this.#answers.get(key) ?? answer;
    this.#answers.set(key, known);
    if (known !== answer) this.#findings.report('wrong-answer', `${key}: ${by} was told ${answer}, others ${known}`);
    const ran = (this.#all.get(key) ?? []).some(
      (execution) => execution.answer === answer && execution.ended === 'answered',
    );
    if (!ran) this.#findings.report('wrong-answer', `${key}: ${by} was told ${answer}, which nobody answered`);
  }
}
