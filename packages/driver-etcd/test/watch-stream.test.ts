import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import { systemClock } from '@concordat/core/spi';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Event } from '../src/transport.js';
import { Transport } from '../src/transport.js';
import { type WatchListener, WatchStream } from '../src/watch-stream.js';
import { Gateway } from './support/gateway.js';
import { freshNamespace } from './support/open-backend.js';
import { hostsOf, linkTo } from './support/servers.js';

let node: StoreNode;
let gateway: Gateway;
beforeAll(async () => {
  node = await startEtcd();
  const [host] = node.hosts;
  if (host === undefined) throw new Error('no host');
  gateway = new Gateway(host);
});
afterAll(() => node.stop());

function streamOver(hosts: readonly string[]): WatchStream {
  const parts = hosts.map((host) => ({ host: host.split(':')[0] ?? '', port: Number(host.split(':')[1]) }));
  const transport = new Transport({ hosts: parts, tls: null, credentials: null });
  const stream = new WatchStream(transport, systemClock, { requests: 0, heartbeats: 0, notifications: 0 });
  onTestFinished(() => {
    stream.close();
    transport.close();
  });
  return stream;
}

class Recorder implements WatchListener {
  readonly values: string[] = [];
  readonly batches: number[] = [];
  openings = 0;
  restarts = 0;
  refusals = 0;

  opened(): void {
    this.openings += 1;
  }
  changed(events: readonly Event[]): void {
    this.batches.push(events.length);
    this.values.push(...events.map(({ kv }) => kv.value.toString()));
  }
  restarted(): void {
    this.restarts += 1;
  }
  refused(): void {
    this.refusals += 1;
  }
}

function below(prefix: string): { readonly key: Buffer; readonly range_end: Buffer } {
  return { key: Buffer.from(`${prefix}/`), range_end: Buffer.from(`${prefix}0`) };
}

async function write(prefix: string, count: number, from = 0): Promise<string[]> {
  const values = Array.from({ length: count }, (_, index) => String(from + index));
  for (const value of values) await gateway.put(`${prefix}/a`, value);
  return values;
}

it('loses no event when the link is cut while it catches up', async () => {
  const link = await linkTo(node);
  const stream = streamOver(hostsOf(link));
  const prefix = freshNamespace();
  const start = await gateway.put(`${prefix}/a`, 'first');
  // More than one batch of history: the server sends a thousand revisions at a time.
  const padding = 'x'.repeat(2_000);
  const values: string[] = [];
  for (let round = 0; round < 25; round += 1) {
    const block = Array.from({ length: 100 }, (_, index) => `${String(round * 100 + index)} ${padding}`);
    await Promise.all(block.map((value, index) => gateway.put(`${prefix}/${String(index)}`, value)));
    values.push(...block);
  }
  link.cut();
  const recorder = new Recorder();
  stream.watch(below(prefix), start + 1n, recorder);
  link.heal();
  let cuts = 0;
  await expect
    .poll(
      () => {
        if (recorder.values.length < values.length && cuts < 6) {
          cuts += 1;
          link.flap();
        }
        return recorder.values.length;
      },
      { timeout: 10_000, interval: 40 },
    )
    .toBe(values.length);
  expect(cuts).toBeGreaterThan(1);
  expect([...recorder.values].sort()).toEqual([...values].sort());
});

it('loses and repeats no event on a flapping link', async () => {
  const link = await linkTo(node);
  const stream = streamOver(hostsOf(link));
  const prefix = freshNamespace();
  const recorder = new Recorder();
  stream.watch(below(prefix), null, recorder);
  await expect.poll(() => recorder.openings).toBe(1);
  const flapping = setInterval(() => link.flap(), 60);
  const values = await write(prefix, 400).finally(() => clearInterval(flapping));
  await expect.poll(() => recorder.values, { timeout: 5_000 }).toEqual(values);
  expect(recorder.openings).toBe(1);
});

it('gives the events of one revision together', async () => {
  const stream = streamOver(hostsOf(await linkTo(node)));
  const prefix = freshNamespace();
  const recorder = new Recorder();
  stream.watch(below(prefix), null, recorder);
  await expect.poll(() => recorder.openings).toBe(1);
  // Together more than the server puts in one message, so that it splits them.
  const half = 'x'.repeat(700_000);
  await gateway.putTogether([
    [`${prefix}/a`, half],
    [`${prefix}/b`, half],
  ]);
  await gateway.put(`${prefix}/c`, 'last');
  await expect.poll(() => recorder.batches).toEqual([2, 1]);
});

it('says so when the history it missed was compacted, and goes on from now', async () => {
  const link = await linkTo(node);
  const stream = streamOver(hostsOf(link));
  const prefix = freshNamespace();
  const recorder = new Recorder();
  stream.watch(below(prefix), null, recorder);
  await expect.poll(() => recorder.openings).toBe(1);
  link.cut();
  await write(prefix, 5);
  await gateway.compact(await gateway.put(`${prefix}/a`, '5'));
  link.heal();
  await expect.poll(() => recorder.restarts, { timeout: 3_000 }).toBe(1);
  await expect.poll(() => recorder.openings).toBe(2);
  await write(prefix, 2, 6);
  await expect.poll(() => recorder.values).toEqual(['6', '7']);
});

it('goes on with the others when one watch is refused, and cancels it without harm', async () => {
  const stream = streamOver(hostsOf(await linkTo(node)));
  const prefix = freshNamespace();
  const before = new Recorder();
  stream.watch(below(prefix), null, before);
  await expect.poll(() => before.openings).toBe(1);
  const refused = new Recorder();
  const cancel = stream.watch({ key: Buffer.from('b'), range_end: Buffer.from('a') }, null, refused);
  await expect.poll(() => refused.refusals).toBeGreaterThan(1);
  cancel();
  const after = new Recorder();
  stream.watch(below(prefix), null, after);
  await expect.poll(() => after.openings, { timeout: 3_000 }).toBe(1);
  await write(prefix, 3);
  await expect
    .poll(() => [before.values, after.values])
    .toEqual([
      ['0', '1', '2'],
      ['0', '1', '2'],
    ]);
});

it('cancels a watch before the server has answered it', async () => {
  const stream = streamOver(hostsOf(await linkTo(node)));
  const prefix = freshNamespace();
  const cancelled = new Recorder();
  const kept = new Recorder();
  const cancel = stream.watch(below(prefix), null, cancelled);
  stream.watch(below(prefix), null, kept);
  cancel();
  cancel();
  await expect.poll(() => kept.openings).toBe(1);
  await write(prefix, 2);
  await expect.poll(() => kept.values).toEqual(['0', '1']);
  expect(cancelled).toMatchObject({ openings: 0, values: [] });
});
