import { systemClock } from '@concordat/core/spi';
import { expect, it, onTestFinished } from 'vitest';
import { Heartbeat, type HeartbeatReport, type HeartbeatTransport } from '../src/heartbeat.js';
import { StatusError, status } from '../src/protocol.js';
import type { DuplexListener, KeepAliveReply, RangeReply } from '../src/transport.js';

const lease = { id: '7', key: Buffer.from('session/7'), timeoutMs: 4_000 };

class ScriptedServer implements HeartbeatTransport {
  readonly connection = {};
  renewals = 0;
  term = '2';
  renewTerm = '2';
  member = '1';
  ttl = '4';
  silent = false;
  keyLease: string | null = '7';
  replaced = 0;
  logins = 0;
  /** What each renewal is refused with until this many logins. */
  refusal: { readonly error: StatusError; readonly until: number } | null = null;

  keepAlive(listener: DuplexListener<KeepAliveReply>): ReturnType<HeartbeatTransport['keepAlive']> {
    return {
      write: () => {
        this.renewals += 1;
        if (this.silent) return;
        const { refusal } = this;
        if (refusal !== null && this.logins < refusal.until) {
          setImmediate(() => listener.ended(refusal.error));
          return;
        }
        const header = { cluster_id: '1', member_id: '1', revision: '9', raft_term: this.renewTerm };
        setImmediate(() => listener.message({ header, ID: lease.id, TTL: this.ttl }));
      },
      close: () => undefined,
    };
  }

  range(): Promise<RangeReply> {
    const header = { cluster_id: '1', member_id: this.member, revision: '9', raft_term: this.term };
    const pair = { key: lease.key, value: Buffer.alloc(0), create_revision: '1', mod_revision: '1', version: '1' };
    const kvs = this.keyLease === null ? [] : [{ ...pair, lease: this.keyLease }];
    return Promise.resolve({ header, kvs, more: false, count: '1' });
  }

  authenticate(): Promise<void> {
    this.logins += 1;
    return Promise.resolve();
  }

  /** The next connection leads to a member that answers. */
  replace(): void {
    this.replaced += 1;
    this.silent = false;
  }
}

function beating(server: ScriptedServer): { readonly told: string[]; readonly heartbeat: Heartbeat } {
  const told: string[] = [];
  const report: HeartbeatReport = {
    confirmed: () => void told.push('confirmed'),
    dead: () => void told.push('dead'),
    keyMissing: () => void told.push('key missing'),
    cut: () => void told.push('cut'),
    orderBefore: () => 5n,
    saw: (order, before) => void told.push(`saw ${String(order)} after ${String(before)}`),
    wentBack: () => void told.push('went back'),
    sent: () => undefined,
  };
  const heartbeat = new Heartbeat(server, systemClock, lease, report);
  onTestFinished(() => heartbeat.stop());
  heartbeat.start();
  return { told, heartbeat };
}

it('counts a renewal that a read of the same term followed', async () => {
  const { told } = beating(new ScriptedServer());
  await expect.poll(() => told).toEqual(['saw 9 after 5', 'confirmed']);
});

it('does not count a renewal of another term, and renews again at once', async () => {
  const server = new ScriptedServer();
  server.term = '3';
  const { told } = beating(server);
  await expect.poll(() => server.renewals).toBe(2);
  server.renewTerm = '3';
  await expect.poll(() => server.renewals, { timeout: 3_000 }).toBe(3);
  await expect.poll(() => told.filter((what) => what === 'confirmed')).toEqual(['confirmed']);
  expect(told.indexOf('confirmed')).toBe(told.length - 1);
  expect(told.length).toBe(4);
});

it('takes an older term than a member answered in before for a store that went back', async () => {
  const server = new ScriptedServer();
  const { told, heartbeat } = beating(server);
  await expect.poll(() => told).toContain('confirmed');
  server.term = server.renewTerm = '1';
  heartbeat.beat();
  await expect.poll(() => told.slice(2)).toEqual(['saw 9 after 5', 'went back']);
});

// One that caught up by a snapshot tells the term of the last entry that it applied by itself.
it('takes an older term of another member for a member that lagged behind', async () => {
  const server = new ScriptedServer();
  const { told, heartbeat } = beating(server);
  await expect.poll(() => told).toContain('confirmed');
  server.term = server.renewTerm = '1';
  server.member = '2';
  heartbeat.beat();
  await expect.poll(() => told.slice(2)).toEqual(['saw 9 after 5', 'confirmed']);
});

it('takes a renewal without time to live for the end', async () => {
  const server = new ScriptedServer();
  server.ttl = '0';
  const { told } = beating(server);
  await expect.poll(() => told).toEqual(['dead']);
});

it.each([null, '0', '8'])('does not count a renewal while its key has lease %s', async (keyLease) => {
  const server = new ScriptedServer();
  server.keyLease = keyLease;
  const { told } = beating(server);
  await expect.poll(() => told).toEqual(['saw 9 after 5', 'key missing']);
});

it('turns to another connection when a renewal is not answered within a quarter of the timeout', async () => {
  const server = new ScriptedServer();
  server.silent = true;
  const { told } = beating(server);
  const start = performance.now();
  await expect.poll(() => told[0], { timeout: 10_000, interval: 10 }).toBe('cut');
  expect(performance.now() - start).toBeGreaterThan(900);
  await expect.poll(() => told).toContain('confirmed');
  expect(server.replaced).toBe(1);
});

const invalid = new StatusError(status.unauthenticated, 'etcdserver: invalid auth token');
const outdated = new StatusError(status.invalidArgument, 'etcdserver: revision of auth store is old');

it.each([
  { error: invalid, until: 1 },
  { error: outdated, until: 3 },
])(
  'renews with a new token, on the same connection, what was refused for the old one: $error.details',
  async (refusal) => {
    const server = new ScriptedServer();
    server.refusal = refusal;
    const { told } = beating(server);
    await expect.poll(() => told).toEqual(['saw 9 after 5', 'confirmed']);
    expect(server).toMatchObject({ logins: refusal.until, renewals: refusal.until + 1, replaced: 0 });
  },
);

it('turns to another connection when the new token is refused as well', async () => {
  const server = new ScriptedServer();
  server.refusal = { error: invalid, until: 2 };
  const { told } = beating(server);
  await expect.poll(() => told).toEqual(['cut', 'saw 9 after 5', 'confirmed']);
  expect(server).toMatchObject({ logins: 2, replaced: 1 });
});
