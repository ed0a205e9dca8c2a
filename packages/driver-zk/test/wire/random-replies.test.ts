import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chopped, event, reply } from './support/bytes.js';
import { converse, good } from './support/conversation.js';

describe('replies', () => {
  it('are understood at whatever bytes they are cut, events in between included', async () => {
    // A ping is answered under a number of its own, whenever the server gets to it.
    const ping = reply(-2, 1n, 0);
    const stream = Buffer.concat([good(1), event(3, '/é'), ping, good(2), event(99, '/unknown'), good(3)]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 }), async (lengths) => {
        const { channel, answers } = await converse(3, chopped(stream, lengths));
        expect(answers.map((answer) => answer.ok && answer.value.version)).toEqual([1, 2, 3]);
        expect(channel.seen).toBe(3n);
      }),
      { numRuns: 50 },
    );
  });

  it('that stop anywhere are answered as far as they came, once each', async () => {
    const stream = Buffer.concat([good(1), good(2)]);
    const each = stream.length / 2;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: stream.length }), async (end) => {
        const { channel, answers, told } = await converse(3, [stream.subarray(0, end)], true);
        const whole = Math.floor(end / each);
        expect(answers.map(({ ok }) => ok)).toEqual([whole > 0, whole > 1, false]);
        expect(answers.every((answer) => answer.ok || answer.code === 'lost')).toBe(true);
        expect(told).toEqual([1, 1, 1]);
        expect(await channel.ended).toMatchObject({ reason: 'closed' });
      }),
      { numRuns: 60 },
    );
  });

  it('of random bytes leave nothing unanswered, and the channel closed', async () => {
    const junk = fc.uint8Array({ minLength: 1, maxLength: 120 });
    // With the shape of a reply to the third request, so that its content is read.
    const shaped = junk.map((bytes) => reply(3, 3n, 0, bytes));
    await fc.assert(
      fc.asyncProperty(fc.oneof(junk.map(Buffer.from), shaped), async (bytes) => {
        const { answers, told, channel } = await converse(4, [good(1), good(2), bytes], true);
        expect(answers.slice(0, 2).every(({ ok }) => ok)).toBe(true);
        expect(answers[3]).toMatchObject({ ok: false, code: 'lost' });
        expect(told).toEqual([1, 1, 1, 1]);
        expect(channel.open).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});
