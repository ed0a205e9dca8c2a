import type { Random } from '../engine/random.js';
import type { Workload } from '../workloads/workload.js';
import { Client } from './client.js';
import type { World } from './world.js';

/** Somebody in a client who does one step after the other. */
interface Worker {
  readonly client: Client;
  progressed: boolean;
  done: boolean;
}

/** All processes of a service: each in its place, and a new one there when one has gone. */
export class Service {
  readonly clients: (Client | null)[] = [];
  readonly #world: World;
  readonly #workloads: readonly Workload[];
  readonly #workersPerClient: number;
  readonly #workers: Worker[] = [];
  readonly #incarnations: number[] = [];

  constructor(world: World, workloads: readonly Workload[], workersPerClient: number) {
    this.#world = world;
    this.#workloads = workloads;
    this.#workersPerClient = workersPerClient;
  }

  /** Starts a client in that place, and its workers. */
  start(place: number): void {
    if (this.#world.phase === 'ending') return;
    const incarnation = (this.#incarnations[place] ?? 0) + 1;
    this.#incarnations[place] = incarnation;
    const client = new Client(`p${place + 1}${incarnation === 1 ? '' : `.${incarnation}`}`, this.#world);
    this.clients[place] = client;
    this.#world.clients.push(client);
    client.process.plan(0, 'starts', () => this.#employ(client));
  }

  /** Something new in the place of a client that is gone, in a while. */
  replace(client: Client, afterMs: number): void {
    const place = this.clients.indexOf(client);
    // Killed while it closed: it was replaced before.
    if (place < 0) return;
    this.clients[place] = null;
    this.#world.scheduler.plan(afterMs, null, 'starts a client', () => this.start(place));
  }

  /** Clients that are there and go on. */
  get living(): readonly Client[] {
    return this.clients.filter((client) => client !== null).filter(({ process, closing }) => !process.dead && !closing);
  }

  /** Who has not got on since {@link Service.forget}, by name. */
  get idle(): readonly string[] {
    return this.#current.filter(({ progressed, done }) => !progressed && !done).map(({ client }) => client.name);
  }

  /** Who has not come to the end of a step, by name. */
  get busy(): readonly string[] {
    return this.#current.filter(({ done }) => !done).map(({ client }) => client.name);
  }

  /** From now on progress counts. */
  forget(): void {
    for (const worker of this.#workers) worker.progressed = false;
  }

  get #current(): readonly Worker[] {
    return this.#workers.filter(({ client }) => this.living.includes(client));
  }

  #employ(client: Client): void {
    const random = client.random.fork('beside');
    for (const { start } of this.#workloads) if (random.chance(0.5)) start?.(client, random);
    for (let number = 0; number < this.#workersPerClient; number++) {
      const worker = { client, progressed: false, done: false };
      this.#workers.push(worker);
      void this.#work(worker, number);
    }
  }

  // In the end those who got on already leave it to the others.
  #pauseMs({ client, progressed }: Worker, random: Random): number {
    const { sessionTimeoutMs } = client;
    if (this.#world.phase !== 'healed') return random.spread(sessionTimeoutMs / 200, sessionTimeoutMs / 4);
    return progressed ? random.between(sessionTimeoutMs / 4, sessionTimeoutMs) : random.between(1, 50);
  }

  async #work(worker: Worker, number: number): Promise<void> {
    const { client } = worker;
    const random = client.random.fork(`worker ${number}`);
    for (;;) {
      await client.sleep(this.#pauseMs(worker, random));
      if (!client.working) break;
      const begunHealed = this.#world.phase === 'healed';
      const workload = random.pick(this.#workloads);
      const came = await workload.step(client, random);
      this.#world.findings.count(came ? 'steps done' : 'steps in vain');
      if (came && begunHealed) worker.progressed = true;
    }
    worker.done = true;
  }
}
