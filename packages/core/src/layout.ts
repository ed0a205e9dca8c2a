import { Backoff } from './backoff.js';
import { CoordinationError } from './errors.js';
import { pause } from './pause.js';
import type { Requests } from './requests.js';
import type { PutResult, Register } from './spi/backend.js';
import type { Timer } from './spi/clock.js';

const formatKey = 'format';
const layoutVersion = 1;
const longestTokenBase = 38;

/**
 * The `format` register of a namespace: the version of its layout, and the `tokenBase` that an operator or a migration
 * raised so that tokens go on rising over a move or a restore. Read once per session, made when absent; a newer layout is refused.
 */
export class Layout {
  #epoch = 0;
  #tokenBase: Promise<bigint> = Promise.resolve(0n);
  #known = false;
  /** The session in which it was refused, and not read since. */
  #refusedIn: number | null = null;
  #again: Timer | null = null;
  #pauses = new Backoff();
  readonly #observers = new Set<(tokenBase: bigint) => void>();

  constructor(readonly requests: Requests) {}

  /** Whether some session of this coordinator found a layout that this version knows. */
  get known(): boolean {
    return this.#known;
  }

  /**
   * What is added to the store's own creation order to get a token.
   *
   * @throws {CoordinationError} `UNSUPPORTED` for a newer layout, `BACKEND` for a register nobody of us wrote.
   */
  tokenBase(epoch: number): Promise<bigint> {
    if (this.#epoch === epoch) return this.#tokenBase;
    this.#epoch = epoch;
    this.#tokenBase = this.#load(epoch);
    // Whoever waits is told; a failure nobody waits for is asked again by the next one.
    this.#tokenBase.then(
      (tokenBase) => this.#read(epoch, tokenBase),
      () => {
        if (this.#epoch === epoch) this.#epoch = 0;
        // What ended with an earlier session says nothing of this one.
        if (this.requests.session.epoch !== epoch) return;
        this.#refusedIn = epoch;
        this.#askAgain();
      },
    );
    return this.#tokenBase;
  }

  /** Calls `listener` when it could be read in a session that it was refused in before: as long as anybody listens, it is asked for again. */
  onMended(listener: (tokenBase: bigint) => void): () => void {
    this.#observers.add(listener);
    this.#askAgain();
    return () => {
      this.#observers.delete(listener);
      if (this.#observers.size > 0) return;
      this.#again?.cancel();
      this.#again = null;
    };
  }

  #read(epoch: number, tokenBase: bigint): void {
    if (this.#refusedIn !== epoch) return;
    this.#refusedIn = null;
    this.#pauses = new Backoff();
    for (const observer of [...this.#observers]) observer(tokenBase);
  }

  // Once for all who look, however many they are.
  #askAgain(): void {
    const { session, clock } = this.requests;
    if (this.#refusedIn === null || this.#again !== null || this.#observers.size === 0) return;
    this.#again = clock.setTimer(() => {
      this.#again = null;
      const epoch = this.#refusedIn;
      if (epoch === session.epoch && session.alive()) void this.tokenBase(epoch).catch(() => undefined);
    }, this.#pauses.nextMs);
  }

  async #load(epoch: number): Promise<bigint> {
    const backoff = new Backoff();
    for (;;) {
      try {
        const found = await this.requests.read((backend, call) => backend.get(formatKey, 'linearizable', call), epoch);
        const tokenBase = readTokenBase(found ?? (await this.#create(epoch)));
        this.#known = true;
        return tokenBase;
      } catch (error) {
        // Making it is idempotent: whatever became of a lost write, the next read shows it.
        const again = CoordinationError.is(error, 'UNAVAILABLE') || CoordinationError.is(error, 'OUTCOME_UNKNOWN');
        if (!again) throw error;
        await pause(this.requests.session, this.requests.clock, backoff.nextMs);
      }
    }
  }

  async #create(epoch: number): Promise<Register> {
    const value = new TextEncoder().encode(JSON.stringify({ layout: layoutVersion, tokenBase: '0' }));
    const made: PutResult = await this.requests.write(
      (backend, call) => backend.put(formatKey, value, { expect: 'absent' }, call),
      epoch,
    );
    if (made.stored) return made.register;
    if (made.current !== null) return made.current;
    throw new CoordinationError('UNAVAILABLE', 'the format register came and went');
  }
}

function readTokenBase(register: Register): bigint {
  let format: unknown;
  try {
    format = JSON.parse(new TextDecoder().decode(register.value));
  } catch (cause) {
    throw new CoordinationError('BACKEND', 'the format register of this namespace is not ours', { cause });
  }
  const { layout, tokenBase } = (typeof format === 'object' && format !== null ? format : {}) as Record<
    string,
    unknown
  >;
  if (typeof layout === 'number' && layout > layoutVersion)
    throw new CoordinationError('UNSUPPORTED', `this namespace has layout ${String(layout)}; this version knows 1`);
  if (
    layout !== layoutVersion ||
    typeof tokenBase !== 'string' ||
    !/^\d+$/.test(tokenBase) ||
    tokenBase.length > longestTokenBase
  )
    throw new CoordinationError('BACKEND', 'the format register of this namespace is not ours');
  return BigInt(tokenBase);
}
