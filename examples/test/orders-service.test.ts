import { type StoreNode, startEtcd, startZooKeeper } from '@concordat/conformance/servers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compose, Ledger, Orders } from '../orders-service.js';

describe('the orders service', () => {
  const servers: StoreNode[] = [];
  beforeAll(async () => {
    servers.push(await startEtcd(), await startZooKeeper());
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('DI-05 numbers orders without gaps on every store that COORDINATOR_URL names', { timeout: 60_000 }, async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const url of ['memory:orders', ...servers.map((server) => server.url)]) {
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
