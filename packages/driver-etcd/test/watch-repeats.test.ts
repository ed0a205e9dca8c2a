import { systemClock } from '@concordat/core/spi';
import { expect, it } from 'vitest';
import type { DuplexListener, Event, Transport, WatchReply } from '../src/transport.js';
import { WatchStream } from '../src/watch-stream.js';

const header = { cluster_id: '1', member_id: '1', revision: '9', raft_term: '2' };
const reply = { header, watch_id: '1', created: false, canceled: false, compact_revision: '0', cancel_reason: '' };

function eventAt(revision: number): Event {
  const kv = { key: Buffer.from('a'), value: Buffer.alloc(0), create_revision: '1', version: '1', lease: '0' };
  const at = { ...kv, mod_revision: String(revision) };
  return { type: 'Put', kv: at, prev_kv: at };
}

// etcd PR#15274 and #15248: repeated after an error; PR#15515: back after a member loaded a snapshot; #20221: older than was asked for.
it('takes no event twice, and none of before, whatever a member sends', () => {
  const streams: DuplexListener<WatchReply>[] = [];
  const transport: Pick<Transport, 'watch'> = {
    watch: (listener) => {
      streams.push(listener);
      return { write: () => undefined, close: () => undefined };
    },
  };
  const stream = new WatchStream(transport, systemClock, { requests: 0, heartbeats: 0, notifications: 0 });
  const seen: string[] = [];
  const nobody = (): void => undefined;
  stream.watch({ key: Buffer.from('a') }, 5n, {
    opened: nobody,
    changed: (events) => seen.push(...events.map(({ kv }) => kv.mod_revision)),
    restarted: nobody,
    refused: nobody,
  });
  const say = (...revisions: readonly number[]): void =>
    streams[0]?.message({ ...reply, fragment: false, events: revisions.map(eventAt) });
  streams[0]?.message({ ...reply, created: true, fragment: false, events: [] });
  say(3, 4);
  say(4, 5);
  say(5);
  say(2, 5, 6, 7);
  say(6);
  say(9);
  stream.close();
  expect(seen).toEqual(['5', '6', '7', '9']);
});
