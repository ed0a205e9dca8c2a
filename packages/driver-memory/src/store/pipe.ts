/** One direction of a connection: first in, first out, one message per delivery. */
export class Pipe<Message> {
  readonly #deliver: (callback: () => void) => void;
  readonly #arrive: (message: Message) => void;
  readonly #queue: Message[] = [];
  #open = true;

  constructor(deliver: (callback: () => void) => void, arrive: (message: Message) => void) {
    this.#deliver = deliver;
    this.#arrive = arrive;
  }

  push(message: Message): void {
    if (!this.#open) return;
    this.#queue.push(message);
    // A delivery takes whatever is next, so that the order holds even when deliveries overtake each other.
    this.#deliver(() => this.#step());
  }

  /** Drops what is on its way. */
  close(): void {
    this.#open = false;
    this.#queue.length = 0;
  }

  #step(): void {
    const message = this.#queue.shift();
    if (message !== undefined) this.#arrive(message);
  }
}
