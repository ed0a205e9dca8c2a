import { type StoreNode, startEtcd, startZooKeeper } from '@concordat/conformance/servers';
import { afterAll, beforeAll } from 'vitest';

/** One store of each kind for the tests that follow, by URL: filled before the first of them. */
export function liveStores(): readonly string[] {
  const servers: StoreNode[] = [];
  const urls: string[] = [];
  beforeAll(async () => {
    servers.push(await startEtcd());
    servers.push(await startZooKeeper());
    urls.push(...servers.map(({ url }) => url));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
  return urls;
}
