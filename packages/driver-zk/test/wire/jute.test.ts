import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frames } from '../../src/wire/frames.js';
import { JuteReader } from '../../src/wire/jute-reader.js';
import { JuteWriter, textBytes } from '../../src/wire/jute-writer.js';
import { chopped, frame, int, long, sized, text } from './support/bytes.js';

type Field =
  | { readonly type: 'int'; readonly value: number }
  | { readonly type: 'long'; readonly value: bigint }
  | { readonly type: 'flag'; readonly value: boolean }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'texts'; readonly value: readonly string[] };

// Also text that is not well-formed, and longer than a block of the writer.
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.integer({ min: 60_000, max: 70_000 }).map((length) => 'é'.repeat(length)),
);
const anyField: fc.Arbitrary<Field> = fc.oneof(
  fc.record({ type: fc.constant('int' as const), value: fc.integer() }),
  fc.record({ type: fc.constant('long' as const), value: fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }) }),
  fc.record({ type: fc.constant('flag' as const), value: fc.boolean() }),
  fc.record({ type: fc.constant('text' as const), value: anyText }),
  fc.record({ type: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 200 }) }),
  fc.record({
    type: fc.constant('texts' as const),
    value: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
  }),
);
const anyFrames = fc.array(fc.array(anyField, { maxLength: 6 }), { maxLength: 6 });

function mostOf({ type, value }: Field): number {
  if (type === 'text') return textBytes(value);
  if (type === 'texts') return value.reduce((sum, each) => sum + textBytes(each), 4);
  return type === 'bytes' ? 4 + value.length : 8;
}

function write(out: JuteWriter, field: Field): void {
  if (field.type === 'int') out.int(field.value);
  else if (field.type === 'long') out.long(field.value);
  else if (field.type === 'flag') out.flag(field.value);
  else if (field.type === 'text') out.text(field.value);
  else if (field.type === 'bytes') out.bytes(field.value);
  else out.texts(field.value);
}

/** The same by the description of the format. */
function encode({ type, value }: Field): Buffer {
  if (type === 'int') return int(value);
  if (type === 'long') return long(value);
  if (type === 'flag') return Buffer.of(value ? 1 : 0);
  if (type === 'text') return text(value);
  return type === 'bytes' ? sized(value) : Buffer.concat([int(value.length), ...value.map((each) => text(each))]);
}

function read(frame: JuteReader, { type }: Field): unknown {
  return frame[type]();
}

// What is not well-formed arrives as the replacement character.
function expected({ type, value }: Field): unknown {
  return type === 'text' ? Buffer.from(value).toString() : type === 'texts' ? [...value] : value;
}

describe('the wire format', () => {
  it('is what its description says, frame by frame, however often the writer is emptied in between', () => {
    fc.assert(
      fc.property(anyFrames, fc.array(fc.boolean(), { minLength: 1 }), (frames, takes) => {
        const out = new JuteWriter();
        const taken: Buffer[] = [];
        for (const [index, fields] of frames.entries()) {
          out.begin(fields.reduce((sum, field) => sum + mostOf(field), 0));
          for (const field of fields) write(out, field);
          out.end();
          if (takes[index % takes.length] === true) taken.push(...out.take());
        }
        taken.push(...out.take());
        const described = frames.map((fields) => frame(...fields.map(encode)));
        expect(Buffer.compare(Buffer.concat(taken), Buffer.concat(described))).toBe(0);
        expect(out.waiting).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('reads back what was written, wherever the stream is chopped', () => {
    fc.assert(
      fc.property(anyFrames, fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 20 }), (frames, lengths) => {
        const out = new JuteWriter();
        for (const fields of frames) {
          out.begin(fields.reduce((sum, field) => sum + mostOf(field), 0));
          for (const field of fields) write(out, field);
          out.end();
        }
        const cutter = new Frames(10_000_000);
        const readers = chopped(Buffer.concat(out.take()), lengths).flatMap((part) => [...cutter.push(part)]);
        expect(readers).toHaveLength(frames.length);
        for (const [index, fields] of frames.entries()) {
          const reader = new JuteReader(readers[index] ?? Buffer.alloc(0));
          for (const field of fields) expect(read(reader, field)).toEqual(expected(field));
          expect(reader.left).toBe(0);
        }
      }),
      { numRuns: 300 },
    );
  });
});
