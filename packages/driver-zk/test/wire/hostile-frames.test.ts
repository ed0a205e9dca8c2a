import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWelcome } from '../../src/wire/handshake.js';
import { JuteReader, MalformedError } from '../../src/wire/jute-reader.js';
import {
  bare,
  check,
  create,
  exists,
  getChildren,
  getData,
  multi,
  type Operation,
  remove,
  sasl,
  setData,
} from '../../src/wire/operations.js';
import { operation } from '../../src/wire/protocol.js';
import { int, long, stat, text, welcome } from './support/bytes.js';
import { bytesInUse } from './support/memory.js';

const none = new Uint8Array(0);
const header = (code: number): Buffer => Buffer.concat([int(code), Buffer.of(0), int(0)]);
const steps = [create('/a', none, 'ephemeral', []), remove('/a', 'any'), setData('/a', none, 1), check('/a', 1)];
/** What is asked, and a reply that answers it. */
const conversations: readonly (readonly [string, Operation<unknown>, Buffer])[] = [
  ['create', create('/a', none, 'persistent', []), Buffer.concat([text('/a'), stat()])],
  ['exists', exists('/a', false), stat({ version: 3 })],
  ['getData', getData('/a', false), Buffer.concat([text('value'), stat({ dataLength: 5 })])],
  ['getChildren', getChildren('/a', false), Buffer.concat([int(2), text('x'), text('y'), stat()])],
  ['setData', setData('/a', none, 'any'), stat({ version: 1 })],
  ['sasl', sasl(none), text('rspauth=1')],
  [
    'multi',
    multi(steps),
    Buffer.concat([
      header(operation.create2),
      text('/a'),
      stat(),
      header(operation.delete),
      header(operation.setData),
      stat(),
      header(operation.error),
      int(-103),
    ]),
  ],
];

/** Whether it was read; anything but a value and a {@link MalformedError} fails the test. */
function isRead(read: (reply: JuteReader) => unknown, bytes: Uint8Array): boolean {
  const reply = new JuteReader(Buffer.from(bytes));
  try {
    read(reply);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedError);
    return false;
  } finally {
    expect(reply.left).toBeGreaterThanOrEqual(0);
  }
}

describe('the owner of a node', () => {
  const ownerOf = (owner: bigint): string | null =>
    exists('/a', false).read(new JuteReader(stat({ owner: BigInt.asIntN(64, owner) }))).owner;

  it('is a session of any server, up to number 255', () => {
    expect(ownerOf(0x10012ab34cd0000n)).toBe('10012ab34cd0000');
    expect(ownerOf(0xffa1b2c3d4e50007n)).toBe('ffa1b2c3d4e50007');
  });

  it('is nobody for what lives by itself, for a container, and for what has a time to live', () => {
    for (const owner of [0n, 0x8000000000000000n, 0xff00000000000e10n]) expect(ownerOf(owner)).toBeNull();
  });
});

describe.each(conversations)('the reply to %s', (_, { read }, good) => {
  it('is read when it is whole, and refused when it ends too early', () => {
    expect(isRead(read, good)).toBe(true);
    const needed = Array.from(good, (_byte, end) => end).filter((end) => !isRead(read, good.subarray(0, end)));
    expect(needed).toHaveLength(good.length);
    expect(needed).toEqual(needed.map((_end, index) => index));
  });

  it('is a value or refused when some of its bytes are wrong', () => {
    const wrong = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(wrong, (changes) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        isRead(read, bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('is a value or refused when it is random', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void isRead(read, bytes)),
      { numRuns: 500 },
    );
  });
});

describe('a hostile frame', () => {
  const counts = [2_147_483_647, 0x0fff_ffff, 100, -2, -2_147_483_648];

  it.each(counts)(
    'that claims %d texts, or a text or bytes of that length, is refused and allocates nothing',
    (count) => {
      const before = bytesInUse();
      const small = Buffer.concat([int(count), Buffer.alloc(60)]);
      for (const read of ['texts', 'text', 'bytes'] as const) {
        for (let round = 0; round < 100; round += 1) expect(isRead((reply) => reply[read](), small)).toBe(false);
      }
      expect(bytesInUse() - before).toBeLessThan(1024 * 1024);
    },
  );

  it('that claims a long text within a list is refused', () => {
    const nested = Buffer.concat([int(3), text('a'), int(2_147_483_647), Buffer.alloc(8)]);
    expect(isRead((reply) => reply.texts(), nested)).toBe(false);
    expect(isRead((reply) => reply.texts(), Buffer.concat([int(2), text('a'), int(-2)]))).toBe(false);
  });

  it('takes null, a length of -1, for nothing', () => {
    const reply = new JuteReader(Buffer.concat([int(-1), int(-1), int(-1), int(1), int(-1)]));
    expect([reply.text(), [...reply.bytes()], reply.texts(), reply.texts()]).toEqual(['', [], [], ['']]);
  });

  it('is no welcome without a password of 16 bytes and the version of the protocol', () => {
    const read = (bytes: Buffer): boolean => isRead(readWelcome, bytes.subarray(4));
    expect(read(welcome())).toBe(true);
    expect(read(welcome({ rest: [] }))).toBe(true);
    for (const length of [0, 1, 15, 17, 900]) expect(read(welcome({ password: Buffer.alloc(length) }))).toBe(false);
    expect(read(welcome({ version: 1 }))).toBe(false);
    expect(isRead(readWelcome, Buffer.concat([int(0), int(4_000), long(1n), int(2_147_483_647)]))).toBe(false);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void isRead(readWelcome, bytes)));
  });

  it('is not read for an operation without a reply of its own', () => {
    expect(isRead(bare(operation.ping).read, none)).toBe(true);
  });
});
