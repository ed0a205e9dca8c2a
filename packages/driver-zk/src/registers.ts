import {
  type Call,
  type Consistency,
  CoordinationError,
  type DeleteOptions,
  type DeleteResult,
  type Key,
  type PutOptions,
  type PutResult,
  type Register,
} from '@concordat/core/spi';
import type { Answer, Connection, Node, NodeStat } from './connection.js';
import { found, readError, writeError } from './errors.js';
import { childOf, type Paths } from './keys.js';
import { counterOf, isPresent, registerOf, toRegister } from './register-codec.js';
import type { SessionKeeper } from './session-keeper.js';

const empty = new Uint8Array(0);
// Each further try means that somebody else changed the same register in between.
const mostTries = 8;

/**
 * Registers, with compare-and-set that holds over a deletion.
 *
 * A persistent node is never unlinked, since its counter would start again and an old compare would pass: zero bytes mean absent,
 * and `delete` writes them. An ephemeral node is unlinked.
 */
export class Registers {
  readonly #keeper: SessionKeeper;
  readonly #paths: Paths;

  constructor(keeper: SessionKeeper, paths: Paths) {
    this.#keeper = keeper;
    this.#paths = paths;
  }

  async get(key: Key, consistency: Consistency): Promise<Register | null> {
    const path = this.#paths.of(key);
    const connection = this.#keeper.use();
    const answer = await (consistency === 'linearizable'
      ? this.#keeper.heartbeat.behind((proven) => proven.get(path, false))
      : connection.get(path, false));
    return toRegister(found(answer, path));
  }

  async put(key: Key, value: Uint8Array, { expect, ephemeral = false }: PutOptions, call: Call): Promise<PutResult> {
    if (ephemeral && expect !== 'absent')
      throw new CoordinationError('INVALID_ARGUMENT', 'an ephemeral register can only be created');
    const connection = this.#keeper.use();
    const path = this.#paths.of(key);
    call.markSent();
    if (expect === 'absent') return this.#putAbsent(connection, path, value, ephemeral);
    if (expect === 'any') return this.#putAny(connection, path, value);
    return this.#putOver(connection, path, value, counterOf(expect));
  }

  async delete(key: Key, { expect, owner }: DeleteOptions, call: Call): Promise<DeleteResult> {
    const connection = this.#keeper.use();
    const path = this.#paths.of(key);
    call.markSent();
    if (owner !== undefined) return this.#deleteOwned(connection, path, owner, expect);
    // One flight; the counters of both tell whether somebody wrote in between.
    const before = connection.get(path, false);
    const emptied = await connection.set(path, empty, expect === undefined ? 'any' : counterOf(expect));
    if (!emptied.ok) {
      if (emptied.code !== 'bad-version' && emptied.code !== 'no-node') throw writeError(emptied, path);
      return { deleted: false, current: await this.#current(connection, path) };
    }
    if (emptied.value.owner !== null)
      await this.#unlink(connection, path, emptied.value.version).catch((reason: unknown) => {
        throw unknownOutcome(reason);
      });
    const node = await before;
    const nothingThere =
      node.ok && !isPresent(node.value.stat) && node.value.stat.version + 1 === emptied.value.version;
    return nothingThere ? { deleted: false, current: null } : { deleted: true };
  }

  /** Unlinks a node that holds nothing; one that holds a value, or has children, stays. */
  async purge(key: Key, call: Call): Promise<void> {
    const connection = this.#keeper.use();
    const path = this.#paths.of(key);
    const stat = found(await connection.exists(path, false), path);
    if (stat === null || isPresent(stat)) return;
    call.markSent();
    const answer = await connection.delete(path, stat.version);
    const settled = answer.ok || ['no-node', 'bad-version', 'not-empty'].includes(answer.code);
    if (!settled) throw writeError(answer, path);
  }

  async children(dir: Key): Promise<readonly string[]> {
    const path = this.#paths.of(dir);
    const connection = this.#keeper.use();
    const listed = await this.#keeper.heartbeat.behind((proven) => proven.children(path, false));
    const names = found(listed, path)?.names ?? [];
    const stats = await Promise.all(
      names.map(async (name) => found(await connection.exists(childOf(path, name), false), childOf(path, name))),
    );
    return names
      .filter((_, index) => {
        const stat = stats[index];
        return stat !== null && stat !== undefined && isPresent(stat);
      })
      .sort();
  }

  async #putOver(connection: Connection, path: string, value: Uint8Array, counter: number): Promise<PutResult> {
    const answer = await connection.set(path, value, counter);
    if (answer.ok) return { stored: true, register: registerOf(value, answer.value) };
    if (answer.code !== 'bad-version' && answer.code !== 'no-node') throw writeError(answer, path);
    return { stored: false, current: await this.#current(connection, path) };
  }

  async #putAny(connection: Connection, path: string, value: Uint8Array): Promise<PutResult> {
    let refused: PutResult | null = null;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const answer = await connection.set(path, value, 'any');
      if (answer.ok) return { stored: true, register: registerOf(value, answer.value) };
      if (answer.code !== 'no-node') throw writeError(answer, path);
      refused = await this.#create(connection, path, value, false);
      if (refused?.stored === true) return refused;
    }
    return refused ?? { stored: false, current: null };
  }

  async #putAbsent(connection: Connection, path: string, value: Uint8Array, ephemeral: boolean): Promise<PutResult> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const result = await this.#create(connection, path, value, ephemeral);
      if (result !== null) return result;
    }
    return { stored: false, current: await this.#current(connection, path) };
  }

  /** One try to create the register; `null` when what was in the way has gone meanwhile. */
  async #create(
    connection: Connection,
    path: string,
    value: Uint8Array,
    ephemeral: boolean,
  ): Promise<PutResult | null> {
    const mode = ephemeral ? 'container' : 'persistent';
    const { created, read } = await this.#keeper.parents.under(connection, path, mode, async () => {
      // In the same flight: whoever was in the way, or what was created where the client cannot ask for a stat with it.
      const creating = connection.create(path, value, ephemeral ? 'ephemeral' : 'persistent');
      const reading = connection.get(path, false);
      return { created: await creating, read: await reading };
    });
    if (!created.ok && created.code !== 'node-exists') throw writeError(created, path);
    if (created.ok)
      return { stored: true, register: this.#created(connection, path, value, created.value.stat, read, ephemeral) };
    const node = found(read, path);
    if (node === null) return null;
    const current = toRegister(node);
    if (current !== null) return { stored: false, current };
    if (ephemeral) {
      await this.#unlink(connection, path, node.stat.version);
      return null;
    }
    const over = await this.#putOver(connection, path, value, node.stat.version);
    return over.stored || over.current !== null ? over : null;
  }

  #created(
    connection: Connection,
    path: string,
    value: Uint8Array,
    stat: NodeStat | null,
    read: Answer<Node>,
    ephemeral: boolean,
  ): Register {
    if (stat !== null) return registerOf(value, stat);
    const owner = ephemeral ? connection.identity.id : null;
    // The node may have been written since, which does not change what was created; but it must be the same node.
    if (read.ok && read.value.stat.owner === owner) {
      const { created } = read.value.stat;
      return registerOf(value, { created, modified: created, version: 0, owner, dataLength: value.length });
    }
    throw new CoordinationError('OUTCOME_UNKNOWN', `${path}: it was created, and gone before it could be read`);
  }

  async #deleteOwned(
    connection: Connection,
    path: string,
    owner: string,
    expect: bigint | undefined,
  ): Promise<DeleteResult> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const current = await this.#current(connection, path);
      if (current === null || current.owner !== owner) return { deleted: false, current };
      if (expect !== undefined && expect !== current.version) return { deleted: false, current };
      const answer = await connection.delete(path, counterOf(current.version));
      if (answer.ok) return { deleted: true };
      if (answer.code !== 'bad-version' && answer.code !== 'no-node') throw writeError(answer, path);
    }
    return { deleted: false, current: await this.#current(connection, path) };
  }

  async #unlink(connection: Connection, path: string, version: number): Promise<void> {
    const answer = await connection.delete(path, version);
    if (answer.ok || answer.code === 'no-node' || answer.code === 'bad-version') return;
    if (answer.code === 'not-empty')
      throw new CoordinationError('CONFLICT', `${path}: other nodes lie below it`, { cause: readError(answer, path) });
    throw writeError(answer, path);
  }

  async #current(connection: Connection, path: string): Promise<Register | null> {
    return toRegister(found(await connection.get(path, false), path));
  }
}

/** Of the second half of a deletion: its value is gone already, so that nobody may take it for one that changed nothing. */
function unknownOutcome(reason: unknown): unknown {
  if (!CoordinationError.is(reason, 'UNAVAILABLE') && !CoordinationError.is(reason, 'SESSION_LOST')) return reason;
  return new CoordinationError('OUTCOME_UNKNOWN', 'the value is gone, and its node may be there still', {
    cause: reason,
  });
}
