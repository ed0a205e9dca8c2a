import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { compose, Ledger, Orders } from '../orders-service.js';
import { liveStores } from './live-stores.js';

describe('the orders service', () => {
  const stores = liveStores();

  it('DI-05 numbers orders without gaps on every store that COORDINATOR_URL names', { timeout: 60_000 }, async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const url of ['memory:orders', ...stores]) {
      vi.stubEnv('COORDINATOR_URL', url);
      const ledger = new Ledger();
      const processes = [compose(ledger), compose(ledger)];
      const placed = processes.flatMap((container) =>
        Array.from({ length: 10 }, (_, index) => container.resolve(Orders).place('ada', `item ${index}`)),
      );
      const numbers = await Promise.all(placed);
      expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(Object.keys(ledger.ordersOf('ada'))).toHaveLength(20);
      for (const container of processes) await container.dispose();
    }
  });
});
