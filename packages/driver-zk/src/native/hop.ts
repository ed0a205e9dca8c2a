/**
 * Carries what native callbacks have to tell out of the native client: one `setImmediate` for a batch, in order.
 *
 * Inside a callback the C client may have closed its socket while libuv still polls that number; a socket that anybody opens in this
 * moment stays deaf for ever (node-zookeeper#262). After the hop that window is shut.
 */
export class Hop {
  #waiting: (() => void)[] = [];

  push(tell: () => void): void {
    if (this.#waiting.push(tell) === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    for (const tell of batch) tell();
  }
}
