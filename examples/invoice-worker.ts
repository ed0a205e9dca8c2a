import { CoordinationError, type Coordinator, createCoordinator, type Grant } from 'concordat';

/** A difference between the payments and the ledger, found again by every run of its batch. */
export interface Adjustment {
  readonly invoice: string;
  readonly cents: number;
}

interface Batch {
  readonly id: string;
  readonly open: readonly Adjustment[];
  closedBy: string | null;
}

/**
 * The business data store, which does not rely on the election: an adjustment is written once per batch and invoice, whoever
 * writes it, and never by a leader of before.
 */
export class Ledger {
  readonly #batches: Batch[] = [];
  readonly #written = new Map<string, { readonly by: string; readonly fence: string }>();
  #highestFence = '';

  due(id: string, open: readonly Adjustment[]): void {
    this.#batches.push({ id, open, closedBy: null });
  }

  get nextBatch(): Pick<Batch, 'id' | 'open'> | undefined {
    return this.#batches.find(({ closedBy }) => closedBy === null);
  }

  /** Answers whether it is new; a repeat of the batch changes nothing. */
  adjust(batch: string, { invoice }: Adjustment, by: string, fence: string): boolean {
    this.#admit(fence);
    const key = `${batch}/${invoice}`;
    if (this.#written.has(key)) return false;
    this.#written.set(key, { by, fence });
    return true;
  }

  close(id: string, by: string, fence: string): void {
    this.#admit(fence);
    for (const batch of this.#batches) if (batch.id === id) batch.closedBy = by;
  }

  /** Who wrote which adjustment, in order. */
  get lines(): readonly string[] {
    return [...this.#written].map(([key, { by }]) => `${key} by ${by}`);
  }

  // Fences are of equal length, so that text columns compare like numbers.
  #admit(fence: string): void {
    if (fence < this.#highestFence) throw new Error('the ledger refuses a leader of before');
    this.#highestFence = fence;
  }
}

/** One of several workers, of which one at a time reconciles: a batch for each term. */
export class InvoiceWorker {
  readonly name: string;
  readonly #coordinator: Coordinator;
  readonly #ledger: Ledger;
  readonly #reachBank: () => Promise<void>;

  /** @param reachBank takes its time for each adjustment. */
  constructor(name: string, url: string, ledger: Ledger, reachBank: () => Promise<void>) {
    this.name = name;
    this.#coordinator = createCoordinator(url, { sessionTimeoutMs: 3_000, allowShortSession: true });
    this.#ledger = ledger;
    this.#reachBank = reachBank;
  }

  /** Works until `stop` aborts, or the worker is closed: both are orderly ends. */
  async run(stop: AbortSignal): Promise<void> {
    const election = this.#coordinator.election('invoices/reconcile');
    try {
      await election.lead((grant) => this.#reconcileOnce(grant, stop), { value: this.name, signal: stop });
    } catch (error) {
      if (!stop.aborted && !CoordinationError.is(error, 'CLOSED')) throw error;
    }
  }

  close(): Promise<void> {
    return this.#coordinator.close();
  }

  async #reconcileOnce(grant: Grant, stop: AbortSignal): Promise<void> {
    const batch = this.#ledger.nextBatch;
    if (batch === undefined) return this.#reachBank();
    for (const adjustment of batch.open) {
      if (stop.aborted || grant.signal.aborted) return; // half a batch: whoever leads next repeats it
      await this.#reachBank();
      grant.assertHeld(); // saves work that is lost; the ledger's own check is what protects it
      this.#ledger.adjust(batch.id, adjustment, this.name, grant.fence);
    }
    this.#ledger.close(batch.id, this.name, grant.fence);
  }
}
