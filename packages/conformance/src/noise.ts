const noise: unknown[] = [];
let listening = false;

/** Starts to write down what nobody should cause: leak warnings of Node, and rejections that nobody handled. */
export function listenForNoise(): void {
  if (listening) return;
  listening = true;
  process.on('warning', (warning) => {
    if (warning.name === 'MaxListenersExceededWarning') noise.push(warning);
  });
  process.on('unhandledRejection', (reason) => noise.push(reason));
}

/** Everything of that kind since it was started. */
export function noiseSoFar(): readonly unknown[] {
  return [...noise];
}
