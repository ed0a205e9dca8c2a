import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frames } from '../../src/wire/frames.js';
import { MalformedError } from '../../src/wire/jute-reader.js';
import { chopped, frame, int } from './support/bytes.js';
import { bytesInUse } from './support/memory.js';

const megabyte = 1024 * 1024;
const longest = 256 * megabyte;
const contents = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
const cuts = fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 30 });

function cut(frames: Frames, parts: readonly Buffer[]): Buffer[] {
  // Copies: a frame is a view of what was pushed.
  return parts.flatMap((part) => [...frames.push(part)].map((each) => Buffer.from(each)));
}

describe('frames', () => {
  it('are cut back as they were sent, wherever the stream is chopped', () => {
    fc.assert(
      fc.property(contents, cuts, (sent, lengths) => {
        const stream = Buffer.concat(sent.map((each) => frame(each)));
        expect(cut(new Frames(longest), chopped(stream, lengths))).toEqual(sent.map((each) => Buffer.from(each)));
      }),
      { numRuns: 500 },
    );
  });

  it('are cut back the same at every byte boundary, empty ones included', () => {
    const sent = ['one', '', 'three', ''].map((each) => Buffer.from(each));
    const stream = Buffer.concat(sent.map((each) => frame(each)));
    for (let at = 1; at < stream.length; at += 1)
      expect(cut(new Frames(longest), [stream.subarray(0, at), stream.subarray(at)])).toEqual(sent);
  });

  it.each([-1, -2_147_483_648, 1_025, 2_147_483_647])('refuses a length of %d as soon as it is read', (length) => {
    const frames = new Frames(1_024);
    expect(cut(frames, chopped(frame(Buffer.from('good')), [1]))).toEqual([Buffer.from('good')]);
    const claimed = int(length);
    expect(cut(frames, [claimed.subarray(0, 3)])).toEqual([]);
    expect(() => cut(frames, [claimed.subarray(3)])).toThrow(MalformedError);
  });

  it('may become longer from one frame to the next, within one push', () => {
    const frames = new Frames(4);
    const seen: string[] = [];
    for (const each of frames.push(
      Buffer.concat([frame(Buffer.from('hello'.slice(1))), frame(Buffer.from('a longer one'))]),
    )) {
      seen.push(each.toString());
      frames.longest = 100;
    }
    expect(seen).toEqual(['ello', 'a longer one']);
  });

  it('are made of random bytes or refused, and never longer than the longest', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { maxLength: 20 }), (parts) => {
        const frames = new Frames(40);
        const pushed = Buffer.concat(parts);
        let taken = 0;
        try {
          for (const part of parts) {
            for (const each of frames.push(Buffer.from(part))) {
              expect(each.length).toBe(pushed.readInt32BE(taken));
              expect(each.length).toBeLessThanOrEqual(40);
              taken += 4 + each.length;
            }
          }
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedError);
          const claimed = pushed.readInt32BE(taken);
          expect(claimed < 0 || claimed > 40).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('allocate nothing for a length of 200 MB of which 100 bytes came', () => {
    const before = bytesInUse();
    const frames = Array.from({ length: 20 }, () => new Frames(longest));
    for (const each of frames) expect(cut(each, [Buffer.concat([int(200 * megabyte), Buffer.alloc(100)])])).toEqual([]);
    expect(bytesInUse() - before).toBeLessThan(megabyte);
    expect(frames).toHaveLength(20);
  });

  it('hold little more than what came, also when it comes byte by byte', () => {
    const before = bytesInUse();
    const frames = new Frames(longest);
    const bytes = 300_000;
    cut(frames, [int(200 * megabyte)]);
    for (let at = 0; at < bytes; at += 1) cut(frames, [Buffer.alloc(1)]);
    expect(bytesInUse() - before).toBeLessThan(3 * megabyte);
    expect(frames.longest).toBe(longest);
  });
});
