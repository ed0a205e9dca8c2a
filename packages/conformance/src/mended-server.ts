import type { Backup, ServerControl } from './harness.js';

/** The store as something to break, which is whole again when the scenario ends, however it ended. */
export class MendedServer implements ServerControl {
  readonly #control: ServerControl;
  #state: 'running' | 'frozen' | 'down' = 'running';

  constructor(control: ServerControl) {
    this.#control = control;
  }

  async freeze(): Promise<void> {
    this.#state = 'frozen';
    await this.#control.freeze();
  }

  async thaw(): Promise<void> {
    await this.#control.thaw();
    this.#state = 'running';
  }

  async kill(): Promise<void> {
    this.#state = 'down';
    await this.#control.kill();
  }

  async start(): Promise<void> {
    await this.#control.start();
    this.#state = 'running';
  }

  async wipe(): Promise<void> {
    await this.#whileDown(() => this.#control.wipe());
  }

  async backUp(): Promise<Backup> {
    const backup = await this.#control.backUp();
    return { restore: () => this.#whileDown(() => backup.restore()) };
  }

  /** It comes back by itself, unless that fails half-way. */
  async #whileDown(work: () => Promise<void>): Promise<void> {
    this.#state = 'down';
    await work();
    this.#state = 'running';
  }

  async mend(): Promise<void> {
    if (this.#state === 'frozen') await this.thaw();
    if (this.#state === 'down') await this.start();
  }
}
