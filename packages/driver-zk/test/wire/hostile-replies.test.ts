import { describe, expect, it, onTestFinished } from 'vitest';
import { exists, getChildren } from '../../src/wire/operations.js';
import { codeOf } from './support/answers.js';
import { frame, int, reply, stat, text, welcome } from './support/bytes.js';
import { converse, good } from './support/conversation.js';
import { dialled, tryDial } from './support/dialling.js';
import { HostilePeer } from './support/hostile-peer.js';
import { bytesInUse } from './support/memory.js';

describe('replies', () => {
  it.each([
    ['an unknown number', reply(99, 9n, 0, stat())],
    ['the number of the next but one', good(4)],
    ['the number of the one before', good(2)],
    ['a frame of 2 GiB', int(2_147_483_647)],
    ['a frame of 200 MB', int(200_000_000)],
    ['a frame of less than nothing', int(-5)],
    ['a frame that ends within its header', frame(int(3), int(0))],
    ['a stat that ends too early', reply(3, 2n, 0, stat().subarray(1))],
    ['an event that claims a path of 2 GiB', reply(-1, -1n, 0, int(3), int(3), int(2_147_483_647))],
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('with %s end the channel: what was answered stays answered, the rest is lost', async (_, hostile) => {
    const { channel, answers, told } = await converse(5, [good(1), good(2), hostile, good(3), good(4), good(5)]);
    expect(answers.map((answer) => (answer.ok ? answer.value.version : answer.code))).toEqual([
      1,
      2,
      'lost',
      'lost',
      'lost',
    ]);
    expect(told).toEqual([1, 1, 1, 1, 1]);
    expect((await channel.ended).reason).toBe('malformed');
    expect(channel.seen).toBe(2n);
    expect(await channel.ask(exists('/', false))).toMatchObject({ ok: false, code: 'unsent' });
  });

  it('to pings tell nothing of the requests that are waited for', async () => {
    const pong = reply(-2, 77n, 0);
    const answers = [welcome(), pong, Buffer.concat([pong, good(1), pong])];
    const peer = await HostilePeer.start((socket, requests) =>
      requests.on((_request, index) => void socket.write(answers[index] ?? pong)),
    );
    onTestFinished(() => peer.close());
    const { channel } = await dialled(peer.address.port);
    const waiting = channel.ask(exists('/', false));
    channel.ping();
    expect(await codeOf(waiting)).toBeNull();
    expect([channel.answered, channel.seen]).toEqual([1, 1n]);
  });

  it('behind the welcome that nobody asked for end the channel, and whoever asks is answered', async () => {
    const peer = await HostilePeer.start((socket, requests) =>
      requests.on(() => void socket.write(Buffer.concat([welcome(), Buffer.from('garbage, and more of it')]))),
    );
    onTestFinished(() => peer.close());
    const result = await tryDial(peer.address);
    if (result.ok) {
      expect(['lost', 'unsent']).toContain(await codeOf(result.channel.ask(exists('/', false))));
      expect((await result.channel.ended).reason).toBe('malformed');
    } else expect(result.failure).toBe('not-zookeeper');
    await expect.poll(() => peer.open).toBe(0);
  });

  it('that claim 50 MB or 2,147,483,647 names, of which 100 bytes come, allocate nothing', async () => {
    const claim = Buffer.concat([int(50_000_000), int(1), Buffer.alloc(100)]);
    const names = reply(1, 1n, 0, int(2_147_483_647), text('a'), Buffer.alloc(100));
    const peer = await HostilePeer.start((socket, requests) => {
      requests.on((request, index) => {
        if (index === 0) socket.write(welcome());
        else socket.write(request.includes('names') ? names : claim);
      });
    });
    onTestFinished(() => peer.close());
    const claimed = await dialled(peer.address.port);
    const listed = await dialled(peer.address.port);
    const before = bytesInUse();
    const listing = listed.channel.ask(getChildren('/names', false));
    const waiting = claimed.channel.ask(exists('/claim', false));
    expect(await codeOf(listing)).toBe('lost');
    await expect.poll(() => peer.open).toBe(1);
    expect(bytesInUse() - before).toBeLessThan(2 * 1024 * 1024);
    claimed.channel.destroy();
    expect(await codeOf(waiting)).toBe('lost');
  });
});
