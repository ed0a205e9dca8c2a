// A service composed with tsyringe. Which store it coordinates over is said by COORDINATOR_URL, and nowhere else.
import 'reflect-metadata';
import { setImmediate } from 'node:timers/promises';
import { type Coordinator, fencing } from '@concordat/core';
import { COORDINATOR, registerCoordinator } from '@concordat/core/di';
import { instrument } from '@concordat/telemetry';
import { createCoordinator } from 'concordat';
import { type DependencyContainer, inject, injectable, container as root } from 'tsyringe';

/** Where orders are kept: stands for a database that several processes write. */
export class Ledger {
  readonly #gate = new fencing.TokenGate();
  readonly #orders = new Map<string, string[]>();

  async count(customer: string): Promise<number> {
    await setImmediate();
    return this.#orders.get(customer)?.length ?? 0;
  }

  /** Writes order `number`, unless somebody who came later has written for this customer. */
  async write(customer: string, number: number, item: string, token: bigint): Promise<void> {
    await setImmediate();
    if (!this.#gate.accept(customer, token)) throw new Error(`order ${number} of ${customer} comes too late`);
    const orders = this.#orders.get(customer) ?? [];
    orders[number - 1] = item;
    this.#orders.set(customer, orders);
  }

  ordersOf(customer: string): readonly string[] {
    return this.#orders.get(customer) ?? [];
  }
}

/** Takes orders. Those of one customer are numbered without gaps, whichever process takes them. */
@injectable()
export class Orders {
  readonly #coordinator: Coordinator;
  readonly #ledger: Ledger;

  constructor(@inject(COORDINATOR) coordinator: Coordinator, @inject(Ledger) ledger: Ledger) {
    this.#coordinator = coordinator;
    this.#ledger = ledger;
  }

  place(customer: string, item: string): Promise<number> {
    return this.#coordinator.lock(`orders/${customer}`).with(
      async (grant) => {
        const number = (await this.#ledger.count(customer)) + 1;
        await this.#ledger.write(customer, number, item, grant.token);
        return number;
      },
      { timeoutMs: 10_000 },
    );
  }
}

/** One process of the service; `dispose()` ends it, and with it the coordinator. */
export function compose(ledger: Ledger): DependencyContainer {
  const container = root.createChildContainer();
  registerCoordinator(container, () => {
    const coordinator = createCoordinator(process.env['COORDINATOR_URL'] ?? 'memory:orders');
    // Measures until the coordinator is closed; nothing, where no OpenTelemetry SDK is registered.
    instrument(coordinator, { resource: ({ name }) => name.replace(/\/.*/, '/*') });
    return coordinator;
  });
  container.registerInstance(Ledger, ledger);
  return container;
}
