import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openBackend } from './support/open-backend.js';
import { hostsOf, linkTo } from './support/servers.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
});
afterAll(() => node.stop());

const entrants = 200;
const atOnce = 64;

it('lets a limited number enter at once, so that heartbeats are answered in time, and all of them in the end', async () => {
  const link = await linkTo(node);
  const { backend, session, close } = openBackend(hostsOf(link), { sessionTimeoutMs: 12_000 });
  onTestFinished(close);
  const epoch = await session.connected();
  const before = link.wire.writes;
  link.swallowReplies();
  const giveUp = new AbortController();
  const enter = (signal: AbortSignal) =>
    backend.enter('lock/a', 'lock', Buffer.from('x'), { limit: 1 }, { epoch, signal });
  const patient = Promise.all(Array.from({ length: entrants }, () => enter(new AbortController().signal)));
  const impatient = expect(enter(giveUp.signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await vi.waitUntil(() => link.wire.writes - before >= atOnce);
  // Another round trip to the server on the same event loop: whatever else was on its way has passed the link.
  await node.operator.entries('elsewhere', 'lock/a');
  expect(link.wire.writes - before).toBe(atOnce);
  giveUp.abort();
  link.heal();
  const places = await patient;
  expect(new Set(places.map(({ entry }) => entry.created)).size).toBe(entrants);
  await impatient;
  expect(session.state).toMatchObject({ state: 'connected', epoch });
});
