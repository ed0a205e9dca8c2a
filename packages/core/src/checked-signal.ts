/**
 * The signal of `controller`, whose `aborted` and `throwIfAborted` call `check` first: code that runs right after a pause, before any
 * timer of ours, sees the truth.
 */
export function checkedSignal(controller: AbortController, check: () => void): AbortSignal {
  const { signal } = controller;
  const aborted = (): boolean => Reflect.get(AbortSignal.prototype, 'aborted', signal);
  Object.defineProperties(signal, {
    aborted: {
      configurable: true,
      get: () => {
        check();
        return aborted();
      },
    },
    throwIfAborted: {
      configurable: true,
      value: () => {
        check();
        if (aborted()) throw signal.reason;
      },
    },
  });
  return signal;
}
