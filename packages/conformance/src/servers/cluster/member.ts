import type { Host } from '@concordat/core/spi';
import type { Operator } from '../../harness.js';
import type { DataDirectory } from '../data-directory.js';
import type { Command, ServerProcess } from '../server-process.js';
import type { StoreKind } from '../store-kind.js';
import type { Party } from './network.js';

const startLimitMs = 30_000;
const joinAttempts = 5;

/** What a {@link ClusterMember} is made of. */
export interface MemberParts {
  readonly kind: StoreKind;
  readonly number: number;
  readonly door: Host;
  readonly directory: DataDirectory;
  readonly server: ServerProcess;
  /** Writes what it needs, data aside, and says how to start it. */
  readonly prepare: () => Promise<Command>;
  /** For a member that comes back without its data: tells the others, and what of its command is different then. */
  readonly readmit: () => Promise<Command>;
}

/** One server of a cluster. */
export class ClusterMember implements Party {
  readonly name: string;
  /** From 1 on. */
  readonly number: number;
  /** Its own address, past all that is broken on the way of clients. */
  readonly door: Host;
  readonly #parts: MemberParts;
  #ended: Promise<never> = Promise.race([]);

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.number = parts.number;
    this.name = `${parts.kind.name}-${String(parts.number)}`;
    this.door = parts.door;
  }

  /** Its process; `null` while there is none. */
  get pid(): number | null {
    return this.#parts.server.pid;
  }

  /** Somebody who works on the store by hand, at this member. */
  get operator(): Operator {
    return this.#parts.kind.operator(this.door);
  }

  /** Stops it in its tracks; connections stay, nothing answers. */
  freeze(): Promise<void> {
    return this.#parts.server.freeze();
  }

  /** Lets it go on after {@link ClusterMember.freeze}. */
  thaw(): void {
    this.#parts.server.thaw();
  }

  /** Ends it hard; its data stays. */
  kill(): Promise<void> {
    return this.#parts.server.kill();
  }

  /** Starts it again on the same addresses with the same data; resolves at once, whether or not it can serve. */
  async start(): Promise<void> {
    this.#launch(await this.#parts.prepare());
  }

  /**
   * Kills it, throws its data away, and lets it join again as an operator would; the others need a quorum for that. Resolves when
   * it serves.
   */
  async wipe(): Promise<void> {
    await this.kill();
    await this.#parts.directory.empty();
    const command = await this.#parts.readmit();
    for (let left = joinAttempts; ; left -= 1) {
      this.#launch(command);
      try {
        return await this.serves();
      } catch (error) {
        // etcd ends at once when it asks a member that has not heard of its admission.
        if (this.#parts.server.running || left === 1) throw error;
      }
    }
  }

  /** Kills it and starts it again; resolves when it serves. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
    await this.serves();
  }

  /**
   * Resolves when it answers clients, for which it needs a leader and a quorum. Rejects after the limit, 30 s unless given, and as
   * soon as its process ends, with what that wrote last.
   */
  async serves(withinMs = startLimitMs): Promise<void> {
    const serving = this.#parts.kind.identify(this.door, withinMs);
    // It goes on asking until its limit, also when the process has ended.
    serving.catch(() => undefined);
    await Promise.race([serving, this.#ended]);
  }

  /** Kills it and removes its files. */
  stop(): Promise<void> {
    return this.#parts.server.stop();
  }

  #launch(command: Command): void {
    this.#parts.server.start(command);
    this.#ended = this.#parts.server.ended();
    // Nobody may be waiting for it when it is killed on purpose.
    this.#ended.catch(() => undefined);
  }
}
