/**
 * Stops this process for `ms`: no timer, no reply and no promise is served meanwhile, as for a client that was suspended, swapped out
 * or in a long collection. Servers that run outside go on; a link in this process is silent.
 */
export function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let left = ms; left > 0; left = end - performance.now()) Atomics.wait(cell, 0, 0, left);
}
