/** Makes the wall clock of this process wrong, by as much as it is told, until it is set right. */
export class WrongClock {
  readonly #right = globalThis.Date;
  #skewMs = 0;

  constructor() {
    const now = (): number => this.#right.now() + this.#skewMs;
    globalThis.Date = new Proxy(this.#right, {
      construct: (target, args: unknown[], newTarget) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
      get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
    });
  }

  /** Sets it to that much before or after the right time. */
  jump(skewMs: number): void {
    this.#skewMs = skewMs;
  }

  setRight(): void {
    globalThis.Date = this.#right;
  }
}
