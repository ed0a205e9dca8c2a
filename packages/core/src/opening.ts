import { CoordinationError } from './errors.js';
import type { Settings } from './settings.js';
import type { Backend } from './spi/backend.js';
import { type Driver, specVersion } from './spi/driver.js';
import type { Session } from './spi/session.js';
import { unknownOption } from './url.js';

/** Brings up the backend of a coordinator, loading its driver on first use. */
export class Opening {
  #backend: Backend | null = null;
  #loading: Promise<void> = Promise.resolve();

  constructor(
    readonly driver: Driver | (() => Promise<Driver>),
    readonly settings: Settings,
    readonly session: Session,
  ) {
    if (typeof driver !== 'function') this.#check(driver);
  }

  current(): Backend | null {
    return this.#backend;
  }

  start(): void {
    if (typeof this.driver === 'function') this.#loading = this.#load(this.driver);
    else this.#open(this.driver);
  }

  /** Always settles, about `limitMs` later at most. */
  async close(limitMs: number): Promise<void> {
    await this.#loading;
    await this.#backend?.close(limitMs).catch(() => undefined);
  }

  async #load(load: () => Promise<Driver>): Promise<void> {
    try {
      const driver = await load();
      this.#check(driver);
      if (!this.session.closed) this.#open(driver);
    } catch (cause) {
      const known = CoordinationError.is(cause);
      const message = 'the driver for this URL could not be loaded; install its package';
      this.session.refuse(known ? cause : new CoordinationError('DRIVER_UNAVAILABLE', message, { cause }));
    }
  }

  #open(driver: Driver): void {
    const { settings, session } = this;
    this.#backend = driver.open({ ...settings, session });
  }

  #check(driver: Driver): void {
    // A driver that was compiled against another version says so at run time only.
    const version: number = driver.specVersion;
    if (version !== specVersion)
      throw new CoordinationError('DRIVER_UNAVAILABLE', 'this driver was written for another version of the contract');
    for (const name of Object.keys(this.settings.extra)) {
      if (!driver.options.includes(name)) throw unknownOption(name, driver.options);
    }
  }
}
