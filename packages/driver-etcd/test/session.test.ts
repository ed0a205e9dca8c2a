import type { Link } from '@concordat/conformance';
import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import type { SessionState } from '@concordat/core/spi';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freshNamespace, type Opened, openBackend } from './support/open-backend.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
});
afterAll(() => node.stop());

async function opened(
  hosts: readonly string[],
  namespace = freshNamespace(),
  sessionTimeoutMs = 4_000,
): Promise<Opened & { states: SessionState[] }> {
  const one = openBackend(hosts, { namespace, sessionTimeoutMs });
  onTestFinished(() => one.close());
  const states: SessionState[] = [];
  one.session.state$.subscribe((state) => states.push(state));
  await one.session.connected();
  return { ...one, states };
}

const linked = (): Promise<Link> => linkTo(node);
const direct = (): readonly string[] => addressesOf(node);

it('learns of a revoke at once and opens the next session', async () => {
  const { session, states } = await opened(direct());
  const { id } = session.state;
  const start = performance.now();
  await node.operator.expireSession(id ?? '');
  await expect.poll(() => session.state.state === 'connected' && session.epoch, { interval: 5 }).toBe(2);
  expect(performance.now() - start).toBeLessThan(800);
  expect(states.map(({ state }) => state)).toEqual(['connecting', 'connected', 'lost', 'connecting', 'connected']);
  expect(states[2]?.reason?.code).toBe('SESSION_LOST');
  expect(session.state.id).not.toBe(id);
});

it('keeps a session whose own key was deleted by hand, and puts the key back', async () => {
  const namespace = freshNamespace();
  const { session } = await opened(direct(), namespace);
  const id = session.state.id ?? '';
  await node.operator.deleteEntry(namespace, 'session', id);
  await expect.poll(() => node.operator.keys(namespace), { timeout: 3_000 }).toEqual([`session/${id}`]);
  expect(session.epoch).toBe(1);
});

it('confirms with a heartbeat sent after the call', async () => {
  const { session, backend, call } = await opened(direct());
  const before = session.deadline;
  await backend.confirm(call());
  expect(session.deadline).toBeGreaterThan(before);
});

it('keeps its session over forty cuts of the link', async () => {
  const link = await linked();
  const { session, backend, call } = await opened(hostsOf(link));
  for (let cut = 0; cut < 40; cut += 1) {
    link.flap();
    await session.connected(1);
    await backend.confirm(call());
  }
  expect(session.epoch).toBe(1);
});

it('moves to another host before the session is in danger', async () => {
  const one = await linked();
  const other = await linked();
  const { session, backend, call, states } = await opened([...hostsOf(one), ...hostsOf(other)]);
  await backend.get('config/a', 'linearizable', call());
  // Which of the two it uses is chosen at random.
  (one.wire.requests > 0 ? one : other).blackhole();
  const phases = (): string[] => states.map(({ state }) => state);
  await expect.poll(phases, { timeout: 3_000 }).toEqual(['connecting', 'connected', 'suspended', 'connected']);
  await backend.get('config/a', 'linearizable', call());
  expect(session.epoch).toBe(1);
});

it('gives up a session on a silent link at its deadline, and opens another when the link is back', async () => {
  const link = await linked();
  const { session } = await opened(hostsOf(link), freshNamespace(), 2_000);
  const { deadline } = session;
  link.blackhole();
  await expect.poll(() => session.state.state, { timeout: 5_000, interval: 5 }).toBe('lost');
  expect(performance.now()).toBeGreaterThanOrEqual(deadline);
  link.heal();
  await expect.poll(() => session.state.state, { timeout: 5_000 }).toBe('connected');
  expect(session.epoch).toBe(2);
});

it('removes everything of its session when closed, and settles at once', async () => {
  const namespace = freshNamespace();
  const { backend, session, close } = await opened(direct(), namespace);
  const { signal } = new AbortController();
  await backend.enter('lock/a', 'lock', Buffer.from('x'), { limit: 1 }, { epoch: session.epoch, signal });
  expect(await node.operator.keys(namespace)).toHaveLength(2);
  const start = performance.now();
  await close();
  expect(performance.now() - start).toBeLessThan(500);
  expect(await node.operator.keys(namespace)).toEqual([]);
});

it('completes its streams and settles within its limit when closed on a silent link', async () => {
  const link = await linked();
  const { backend, close } = await opened(hostsOf(link));
  let completed = 0;
  backend.watch('config/a').subscribe({ complete: () => (completed += 1) });
  backend.watchChildren('config', { data: true }).subscribe({ complete: () => (completed += 1) });
  link.blackhole();
  const start = performance.now();
  await close();
  expect(performance.now() - start).toBeLessThan(1_600);
  expect(completed).toBe(2);
});

it('leaves no socket and no timer behind', async () => {
  const busy = (): number =>
    process.getActiveResourcesInfo().filter((kind) => /^TCPSocketWrap$|^Timeout$|TCPCONNECT/i.test(kind)).length;
  const before = busy();
  const one = openBackend(direct());
  await one.session.connected();
  one.backend.watch('config/a').subscribe();
  await one.close();
  await expect.poll(busy, { timeout: 2_000 }).toBeLessThanOrEqual(before);
});

it('ends the epoch when the store was wiped, and shows the new state', async () => {
  const own = await startEtcd();
  onTestFinished(() => own.stop());
  const one = openBackend(addressesOf(own));
  onTestFinished(() => one.close());
  await one.session.connected();
  await one.backend.put('config/a', Buffer.from('1'), { expect: 'absent' }, one.call());
  const seen: (string | null)[] = [];
  one.backend.watch('config/a').subscribe((register) => seen.push(register === null ? null : text(register.value)));
  await expect.poll(() => seen).toEqual(['1']);
  await own.control.wipe();
  await expect.poll(() => one.session.state.state === 'connected' && one.session.epoch, { timeout: 8_000 }).toBe(2);
  await one.backend.put('config/a', Buffer.from('2'), { expect: 'absent' }, one.call());
  await expect.poll(() => seen.at(-1)).toBe('2');
});

function text(value: Uint8Array): string {
  return Buffer.from(value).toString();
}
