import { type Session, systemClock } from '@concordat/core/spi';
import { expect, it, vi } from 'vitest';
import { LiveRange } from '../src/live-range.js';
import { Requests } from '../src/requests.js';
import type { RangeReply, Transport } from '../src/transport.js';
import { WatchStream } from '../src/watch-stream.js';

const header = { cluster_id: '1', member_id: '1', revision: '1', raft_term: '2' };
const noHistory = { write: () => undefined, close: () => undefined };

// Two thousand at once took all the time that the heartbeats needed, session after session.
it('reads for few watches at a time, however many begin at once, and for none that ended meanwhile', async () => {
  const answers: (() => void)[] = [];
  const range = (): Promise<RangeReply> =>
    new Promise((resolve) => answers.push(() => resolve({ header, kvs: [], more: false, count: '0' })));
  const transport: Pick<Transport, 'range' | 'watch'> = { range, watch: () => noHistory };
  const session: Pick<Session, 'connected' | 'saw' | 'epoch' | 'order'> = {
    connected: () => Promise.resolve(1),
    saw: () => undefined,
    epoch: 1,
    order: 1n,
  };
  const requests = new Requests(transport as Transport, session as Session, systemClock, 10_000);
  const stream = new WatchStream(transport, systemClock, requests.traffic);
  let shown = 0;
  const begin = (index: number): LiveRange => {
    const options = { target: { key: Buffer.from(String(index)) }, nameOf: () => '', data: true };
    const changed = (): void => {
      shown += 1;
    };
    const live = new LiveRange(requests, stream, options, { changed, failed: () => expect.unreachable() });
    live.start();
    return live;
  };
  const all = Array.from({ length: 120 }, (_, index) => begin(index));
  await vi.waitUntil(() => answers.length > 0);
  expect(answers).toHaveLength(50);
  for (const live of all.slice(100)) live.stop();
  for (let answered = 0; answered < 100; answered += 1) {
    await vi.waitUntil(() => answers.length > answered);
    expect(answers.length - answered).toBeLessThanOrEqual(50);
    answers[answered]?.();
  }
  await vi.waitUntil(() => shown === 100);
  expect(answers).toHaveLength(100);
  for (const live of all) live.stop();
  stream.close();
});
