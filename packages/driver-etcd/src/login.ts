import { isOutdated, isStaleToken } from './errors.js';
import { StatusError, status } from './protocol.js';

const renewalLimitMs = 2_000;

/** Sends one request, which has to be answered within so many milliseconds. */
type Send<Reply> = (limitMs: number) => Promise<Reply>;

/**
 * What a user is known by to the store: a token, fetched again whenever the store calls it stale.
 *
 * A stale token is refused before anything is applied, so that repeating the request is safe, writes included.
 */
export class Login<Token> {
  readonly #fetch: Send<Token> | null;
  #token: Token;
  #fetched = 0;
  #renewal: Promise<void> | null = null;

  /** @param fetch `null` for nobody in particular, who has no token. */
  constructor(none: Token, fetch: Send<Token> | null) {
    this.#token = none;
    this.#fetch = fetch;
  }

  /** The newest. */
  get token(): Token {
    return this.#token;
  }

  /** Fetches another one; whoever asks while that goes on shares it. */
  renew(limitMs: number): Promise<void> {
    this.#renewal ??= this.#renew(limitMs).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** What began with `token` ended with `error`: when that was for the token, a new one is fetched for the next, unless there is one. */
  ended(error: StatusError, token: Token): void {
    if (this.#fetch !== null && isStaleToken(error) && token === this.#token)
      void this.renew(renewalLimitMs).catch(() => undefined);
  }

  /** Settles as `send` does, with a token that is not stale. */
  async run<Reply>(limitMs: number, send: Send<Reply>): Promise<Reply> {
    if (this.#fetch === null) return send(limitMs);
    const endBy = performance.now() + limitMs;
    for (let tries = 1; ; tries += 1) {
      const used = this.#fetched;
      try {
        return await send(endBy - performance.now());
      } catch (error) {
        // A new one is refused only for being outdated already: somebody is changing users and roles.
        const mayRepeat = error instanceof StatusError && isStaleToken(error) && (tries === 1 || isOutdated(error));
        if (!mayRepeat) throw error;
        if (used === this.#fetched) await this.#renewFor(error);
        if (performance.now() >= endBy)
          throw new StatusError(status.deadlineExceeded, `too late after: ${error.details}`, true);
      }
    }
  }

  async #renew(limitMs: number): Promise<void> {
    if (this.#fetch === null) return;
    this.#token = await this.#fetch(limitMs);
    this.#fetched += 1;
  }

  async #renewFor(refused: StatusError): Promise<void> {
    try {
      await this.renew(renewalLimitMs);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw new StatusError(error.code, `${error.details} (${refused.details})`, true);
    }
  }
}
