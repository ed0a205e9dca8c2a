type Callback = () => void;

/** Who is told of the abort of one signal, and the listener that tells them. */
interface Fan {
  readonly callbacks: Set<Callback>;
  readonly tell: () => void;
}

const fans = new WeakMap<AbortSignal, Fan>();

/**
 * Calls back when `signal` aborts; one listener per signal however many waits share it, because Node warns of a leak
 * from the eleventh on. Returns what takes the callback back.
 *
 * The last one takes the listener along: Node keeps signals of `AbortSignal.any` and `AbortSignal.timeout` alive for as long as they have one.
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const fan = fans.get(signal) ?? openFan(signal);
  const own: Callback = () => callback();
  fan.callbacks.add(own);
  return () => {
    fan.callbacks.delete(own);
    if (fan.callbacks.size > 0 || fans.get(signal) !== fan) return;
    fans.delete(signal);
    signal.removeEventListener('abort', fan.tell);
  };
}

/** Passes an abort of `signal`, past or to come, on to `controller`, with its reason. Returns what stops that. */
export function passOn(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  return signal === undefined || signal.aborted ? () => undefined : onAbort(signal, abort);
}

function openFan(signal: AbortSignal): Fan {
  const callbacks = new Set<Callback>();
  const tell = (): void => {
    fans.delete(signal);
    for (const callback of [...callbacks]) callback();
  };
  const fan = { callbacks, tell };
  fans.set(signal, fan);
  signal.addEventListener('abort', tell, { once: true });
  return fan;
}
