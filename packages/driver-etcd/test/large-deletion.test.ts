import { type Session, systemClock } from '@concordat/core/spi';
import { expect, it } from 'vitest';
import { LiveRange } from '../src/live-range.js';
import { Requests } from '../src/requests.js';
import type { DuplexListener, Event, RangeReply, Transport, WatchReply } from '../src/transport.js';
import { WatchStream } from '../src/watch-stream.js';

const header = { cluster_id: '1', member_id: '1', revision: '8', raft_term: '2' };
const reply = { header, watch_id: '1', canceled: false, compact_revision: '0', cancel_reason: '', fragment: false };

function deletionOf(name: string): Event {
  const kv = { key: Buffer.from(name), value: Buffer.alloc(0), create_revision: '0', version: '0', lease: '0' };
  const deleted = { ...kv, mod_revision: '9' };
  return { type: 'Delete', kv: deleted, prev_kv: deleted };
}

// A lease, or a range, can have more keys than a call of JavaScript takes arguments, and all go in one revision.
it('is told of in one piece, while the range is still being read', async () => {
  let answer: (range: RangeReply) => void = () => undefined;
  let tell: DuplexListener<WatchReply>['message'] = () => undefined;
  const transport: Pick<Transport, 'range' | 'watch'> = {
    range: () => new Promise((resolve) => (answer = resolve)),
    watch: ({ message }) => {
      tell = message;
      return { write: () => undefined, close: () => undefined };
    },
  };
  const session: Pick<Session, 'connected' | 'saw' | 'epoch' | 'order'> = {
    connected: () => Promise.resolve(1),
    saw: () => undefined,
    epoch: 1,
    order: 1n,
  };
  const requests = new Requests(transport as Transport, session as Session, systemClock, 10_000);
  const stream = new WatchStream(transport, systemClock, requests.traffic);
  const states: number[] = [];
  const options = { target: { key: Buffer.from('a') }, nameOf: String, data: true };
  const live = new LiveRange(requests, stream, options, {
    changed: (state) => states.push(state.size),
    failed: () => expect.unreachable(),
  });
  live.start();
  tell({ ...reply, created: true, events: [] });
  const names = Array.from({ length: 300_000 }, (_, index) => `a/${String(index)}`);
  tell({ ...reply, created: false, events: names.map(deletionOf) });
  const kept = { key: Buffer.from('a/kept'), value: Buffer.of(1), lease: '0', version: '1' };
  const kvs = ['a/0', 'a/kept'].map((name) => {
    return { ...kept, key: Buffer.from(name), create_revision: '5', mod_revision: '5' };
  });
  await expect.poll(() => answer.length).toBe(1);
  answer({ header, kvs, more: false, count: '2' });
  await expect.poll(() => states).toEqual([1]);
  live.stop();
  stream.close();
});
