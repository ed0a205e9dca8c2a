import type {
  Call,
  DeleteOptions,
  DeleteResult,
  Key,
  PutOptions,
  PutResult,
  Register,
  Session,
} from '@concordat/core/spi';
import type { Keys } from './keys.js';
import type { Requests } from './requests.js';
import { nameOf } from './store/paths.js';
import type { Stored } from './store/protocol.js';

/** A register as core sees it, with bytes of its own. */
export function toRegister(stored: Stored): Register {
  const { value, version, created, owner } = stored;
  return { value: new Uint8Array(value), version, created, owner };
}

/** Values with versions: compare-and-set, delete, and the names in a directory. */
export class Registers {
  readonly #requests: Requests;
  readonly #session: Session;
  readonly #keys: Keys;

  constructor(requests: Requests, session: Session, keys: Keys) {
    this.#requests = requests;
    this.#session = session;
    this.#keys = keys;
  }

  async get(key: Key, call: Call): Promise<Register | null> {
    const stored = await this.#requests.ask('get', { key: this.#keys.of(key) }, call);
    return stored === null ? null : toRegister(stored);
  }

  async put(key: Key, value: Uint8Array, options: PutOptions, call: Call): Promise<PutResult> {
    const request = {
      key: this.#keys.of(key),
      value: new Uint8Array(value),
      expect: options.expect,
      session: options.ephemeral === true ? this.#session.state.id : null,
    };
    const { done, current } = await this.#requests.ask('put', request, call);
    if (done && current !== null) return { stored: true, register: toRegister(current) };
    return { stored: false, current: current === null ? null : toRegister(current) };
  }

  async delete(key: Key, options: DeleteOptions, call: Call): Promise<DeleteResult> {
    const { expect: version = null, owner = null } = options;
    const request = { key: this.#keys.of(key), version, created: null, owner };
    const { done, current } = await this.#requests.ask('delete', request, call);
    return done ? { deleted: true } : { deleted: false, current: current === null ? null : toRegister(current) };
  }

  async children(dir: Key, call: Call): Promise<readonly string[]> {
    const children = await this.#requests.ask('list', { dir: this.#keys.of(dir) }, call);
    return children.map(({ key }) => nameOf(key)).sort();
  }
}
