import type { Order, Question } from '../messages.js';

/** What tokens guard. It lives in the process of the run, as a database would: writes reach it late, or not at all. */
export class Resource {
  readonly #waiting = new Map<number, (isAccepted: boolean) => void>();
  #asked = 0;

  /** Writes with a token; `false` when a greater one was there before. */
  write(resource: string, grant: string, token: bigint): Promise<boolean> {
    this.#asked += 1;
    const ask = this.#asked;
    send({ ask, resource, grant, token: String(token) });
    return new Promise((resolve) => {
      this.#waiting.set(ask, resolve);
    });
  }

  hear(order: Order): void {
    if (!('answer' in order)) return;
    this.#waiting.get(order.answer)?.(order.isAccepted);
    this.#waiting.delete(order.answer);
  }
}

/** Tells the run something; nobody to tell it to is no failure, since the process ends with the run. */
export function send(question: Question): void {
  process.send?.(question, undefined, undefined, () => undefined);
}
