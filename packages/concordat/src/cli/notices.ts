import type { WriteStream } from 'node:tty';

/** Where notices go, and whether a line can be written over. */
export type Output = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean };

const clearLine = '\r\u001B[2K';

/** What the command says on stderr: lines that stay, and one line of status, written over at a terminal. */
export class Notices {
  readonly #output: Output;
  #status = '';

  constructor(output: Output) {
    this.#output = output;
  }

  line(message: string): void {
    this.#output.write(`${this.#erase()}concordat: ${message}\n`);
    this.#status = '';
  }

  /** Whether what is shown can be written over. */
  get isLive(): boolean {
    return this.#output.isTTY === true;
  }

  /** Shows where things stand; elsewhere than at a terminal, one line for each change. */
  status(message: string): void {
    if (message === this.#status) return;
    if (this.isLive) this.#output.write(`${clearLine}concordat: ${message}`);
    else this.#output.write(`concordat: ${message}\n`);
    this.#status = message;
  }

  /** Takes the status away. */
  clear(): void {
    this.#output.write(this.#erase());
    this.#status = '';
  }

  #erase(): string {
    return this.isLive && this.#status !== '' ? clearLine : '';
  }
}
