import type { Client } from '../world/client.js';
import { fairWeather } from '../world/seed-plan.js';
import type { World } from '../world/world.js';
import type { Fault, FaultKind } from './plan.js';

/** Who the faults befall. */
export interface Victims {
  /** The client in each place, or `null` while there is none. */
  readonly clients: readonly (Client | null)[];
  /** Something new in the place of a client that is gone, in a while. */
  replace(client: Client, afterMs: number): void;
}

/** Does to the world what was planned. */
export class Nemesis {
  readonly #world: World;
  readonly #victims: Victims;
  /** What delivers requests that were held back, later than anybody waits for them. */
  readonly #parked = new Set<() => void>();
  #isDown = false;

  constructor(world: World, victims: Victims) {
    this.#world = world;
    this.#victims = victims;
  }

  /** Plans them all. */
  begin(faults: readonly Fault[]): void {
    for (const fault of faults)
      this.#world.scheduler.plan(fault.atMs, null, `fault ${fault.kind}`, () => this.#apply(fault));
  }

  /** Whatever still lasts ends now, the weather included. */
  heal(): void {
    for (const client of this.#victims.clients) {
      client?.unsettle();
      client?.process.resume();
      client?.wire.link.heal();
      if (client !== null) client.wire.extraMs = 0;
    }
    this.#thawStore();
    this.#startStore();
    for (const deliver of this.#parked) deliver();
    this.#world.weather = fairWeather;
  }

  #apply(fault: Fault): void {
    if (this.#world.phase !== 'faults') return;
    const place = Math.floor(fault.client * this.#victims.clients.length);
    const client = this.#victims.clients[place] ?? null;
    this.#world.findings.count(`fault ${fault.kind}`);
    this.#world.note('nemesis', `${fault.kind} ${client?.name ?? ''} for ${fault.forMs.toFixed(0)} ms`);
    this.#acts[fault.kind](fault, client);
  }

  readonly #acts: Readonly<Record<FaultKind, (fault: Fault, client: Client | null) => void>> = {
    flap: (_, client) => client?.wire.link.flap(),
    cut: (fault, client) => this.#linkFault(fault, client, () => client?.wire.link.cut()),
    blackhole: (fault, client) => this.#linkFault(fault, client, () => client?.wire.link.blackhole()),
    'swallow replies': (fault, client) => this.#linkFault(fault, client, () => client?.wire.link.swallowReplies()),
    'hold requests': (fault, client) => this.#holdRequests(fault, client),
    'slow link': (fault, client) => {
      if (client === null) return;
      client.wire.extraMs = (fault.entry * client.sessionTimeoutMs) / 6;
      this.#after(fault.forMs, () => {
        client.unsettle();
        client.wire.extraMs = 0;
      });
    },
    'pause process': (fault, client) => {
      client?.process.pause();
      this.#after(fault.forMs, () => {
        client?.process.resume();
        client?.unsettle();
      });
    },
    'kill process': (fault, client) => {
      if (client === null) return;
      client.kill();
      // Of half of those the kernel closes the connections; the other half is a machine that lost its power.
      if (fault.entry < 0.5) client.wire.link.cut();
      this.#victims.replace(client, fault.forMs);
    },
    'close client': (fault, client) => {
      if (client === null || client.closing) return;
      client.process.plan(0, 'closes', () => {
        void client.close().then(() => this.#victims.replace(client, fault.forMs));
      });
    },
    'freeze store': ({ forMs }) => {
      this.#world.store.freeze();
      this.#after(forMs, () => {
        this.#thawStore();
        for (const client of this.#victims.clients) client?.unsettle();
      });
    },
    'restart store': ({ forMs }) => {
      this.#isDown = true;
      this.#world.storeTroubledMs = this.#world.scheduler.now;
      this.#world.store.kill();
      this.#after(forMs, () => this.#startStore());
    },
    'expire by hand': (_, client) => {
      const { store, truth } = this.#world;
      const session = client?.session ?? null;
      if (session === null || this.#isDown) return;
      truth.endByHand(session);
      store.expireSession(session);
    },
    'delete by hand': ({ entry }) => {
      const { store, truth } = this.#world;
      const all = truth.lines.flatMap((dir) => truth.present(dir).map((fact) => ({ dir, fact })));
      const chosen = all[Math.floor(entry * all.length)];
      if (chosen === undefined || this.#isDown) return;
      truth.removeByHand(chosen.fact);
      store.deleteEntry(`sim/${chosen.dir}`, chosen.fact.name);
    },
  };

  #thawStore(): void {
    this.#world.storeTroubledMs = this.#world.scheduler.now;
    this.#world.store.thaw();
  }

  #startStore(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    const { store, truth, scheduler } = this.#world;
    this.#world.storeTroubledMs = scheduler.now;
    store.start();
    truth.connect();
  }

  #linkFault({ forMs }: Fault, client: Client | null, begin: () => void): void {
    begin();
    this.#after(forMs, () => client?.wire.link.heal());
  }

  // Held back, then delivered late, after the client has come back on another connection.
  #holdRequests({ forMs, entry }: Fault, client: Client | null): void {
    client?.wire.link.holdRequests();
    this.#after(forMs, () => {
      const parked = client?.wire.link.parkHeld();
      if (parked === undefined) return;
      const deliver = (): void => {
        if (this.#parked.delete(deliver)) void parked();
      };
      this.#parked.add(deliver);
      if (this.#world.phase === 'faults') this.#after(entry * forMs * 2, deliver);
      else deliver();
    });
  }

  #after(ms: number, run: () => void): void {
    this.#world.scheduler.plan(ms, null, 'fault ends', run);
  }
}
