type Callback = () => void;

const fans = new WeakMap<AbortSignal, Set<Callback>>();

/**
 * Calls back when `signal` aborts; one listener per signal however many waits share it, because Node warns of a leak
 * from the eleventh on. Returns what takes the callback back.
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const fan = fans.get(signal) ?? openFan(signal);
  const own: Callback = () => callback();
  fan.add(own);
  return () => {
    fan.delete(own);
  };
}

/** Passes an abort of `signal`, past or to come, on to `controller`, with its reason. Returns what stops that. */
export function passOn(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  return signal === undefined || signal.aborted ? () => undefined : onAbort(signal, abort);
}

function openFan(signal: AbortSignal): Set<Callback> {
  const fan = new Set<Callback>();
  fans.set(signal, fan);
  signal.addEventListener(
    'abort',
    () => {
      fans.delete(signal);
      for (const callback of [...fan]) callback();
    },
    { once: true },
  );
  return fan;
}
