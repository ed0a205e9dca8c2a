import { systemClock } from '@concordat/core/spi';
import { expect, it, vi } from 'vitest';
import { StatusError, status } from '../src/protocol.js';
import type { Duplex, DuplexListener, Transport, WatchReply, WatchRequest } from '../src/transport.js';
import { WatchStream } from '../src/watch-stream.js';

it('opens the stream again at once when it is told that the store answers, whatever pause it was in', async () => {
  const opened: DuplexListener<WatchReply>[] = [];
  const transport: Pick<Transport, 'watch'> = {
    watch: (listener): Duplex<WatchRequest> => {
      opened.push(listener);
      return { write: () => undefined, close: () => undefined };
    },
  };
  // A pause that never ends by itself.
  const clock = { now: () => systemClock.now(), offset: 0, setTimer: () => ({ cancel: () => undefined }) };
  const stream = new WatchStream(transport, clock, { requests: 0, heartbeats: 0, notifications: 0 });
  const nobody = (): void => undefined;
  stream.watch({ key: Buffer.from('a') }, null, {
    opened: nobody,
    changed: nobody,
    restarted: nobody,
    refused: nobody,
  });
  expect(opened).toHaveLength(1);
  opened[0]?.ended(new StatusError(status.unavailable, 'cut'));
  stream.retry();
  await vi.waitUntil(() => opened.length === 2);
  // Nothing is pending now: being told again opens no second one.
  stream.retry();
  await Promise.resolve();
  expect(opened).toHaveLength(2);
  stream.close();
});

it('counts a notification that was on its way when its watch was cancelled', () => {
  const opened: DuplexListener<WatchReply>[] = [];
  const transport: Pick<Transport, 'watch'> = {
    watch: (listener): Duplex<WatchRequest> => {
      opened.push(listener);
      return { write: () => undefined, close: () => undefined };
    },
  };
  const traffic = { requests: 0, heartbeats: 0, notifications: 0 };
  const stream = new WatchStream(transport, systemClock, traffic);
  const never = (): void => expect.unreachable();
  const cancel = stream.watch({ key: Buffer.from('a') }, 5n, {
    opened: never,
    changed: never,
    restarted: never,
    refused: never,
  });
  cancel();
  const header = { cluster_id: '1', member_id: '1', revision: '5', raft_term: '2' };
  const kv = { key: Buffer.from('a'), value: Buffer.alloc(0), create_revision: '0', mod_revision: '5', version: '0' };
  opened[0]?.message({
    header,
    watch_id: '1',
    created: false,
    canceled: false,
    compact_revision: '0',
    cancel_reason: '',
    fragment: false,
    events: [{ type: 'Delete', kv: { ...kv, lease: '0' }, prev_kv: { ...kv, lease: '0' } }],
  });
  expect(traffic.notifications).toBe(1);
  stream.close();
});
