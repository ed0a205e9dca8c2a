const handled = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM'] as const;

/** Why the waiting ended: somebody sent this process a signal. */
export class Interruption extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
  }
}

/**
 * Where the signals sent to this process go: they end the waiting, and later reach the command.
 *
 * At a terminal, INT, QUIT and HUP come from it and have reached the command already, which is in the same foreground group.
 */
export class SignalRouter {
  readonly #waiting = new AbortController();
  readonly #fromTerminal: boolean;
  readonly #handlers: readonly [NodeJS.Signals, () => void][];
  #command: ((signal: NodeJS.Signals) => void) | null = null;

  /** @param fromTerminal this process runs in the foreground of a terminal. */
  constructor(fromTerminal: boolean) {
    this.#fromTerminal = fromTerminal;
    this.#handlers = handled.map((signal) => [signal, () => this.#received(signal)]);
    for (const [signal, handler] of this.#handlers) process.on(signal, handler);
  }

  /** Aborts with an {@link Interruption}. */
  get waiting(): AbortSignal {
    return this.#waiting.signal;
  }

  /** From now on signals are the command's business. */
  passTo(command: (signal: NodeJS.Signals) => void): void {
    this.#command = command;
  }

  stop(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }

  #received(signal: NodeJS.Signals): void {
    if (this.#command === null) this.#waiting.abort(new Interruption(signal));
    else if (signal === 'SIGTERM' || !this.#fromTerminal) this.#command(signal);
  }
}
