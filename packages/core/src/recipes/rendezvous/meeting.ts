import { type Codec, json } from '../../codecs.js';
import { CoordinationError } from '../../errors.js';
import { fieldsOf } from '../../shared-state/json-fields.js';

/** Who published, in which session. */
export interface Publisher {
  /** New with each `publish`. */
  readonly id: string;
  readonly session: string;
}

/** What is published at a meeting point, and by whom. */
export interface Meeting {
  /** `null` after a withdrawal, and before anybody came. */
  readonly publisher: Publisher | null;
  readonly value: Uint8Array;
}

const lineFeed = 0x0a;

export const nobody: Meeting = { publisher: null, value: new Uint8Array(0) };

/** One line of JSON, and the codec's bytes behind it. */
export const meetings: Codec<Meeting> = {
  encode({ publisher, value }) {
    const header = json.encode(publisher === null ? {} : { id: publisher.id, session: publisher.session });
    const bytes = new Uint8Array(header.length + 1 + value.length);
    bytes.set(header);
    bytes[header.length] = lineFeed;
    bytes.set(value, header.length + 1);
    return bytes;
  },
  decode(bytes) {
    const end = bytes.indexOf(lineFeed);
    if (end < 0) throw notOurs();
    const { id, session } = fieldsOf(json.decode(bytes.subarray(0, end)));
    if (id === undefined) return nobody;
    if (typeof id !== 'string' || typeof session !== 'string') throw notOurs();
    return { publisher: { id, session }, value: bytes.subarray(end + 1) };
  },
};

/** Whether both are the same publication, in the same session. */
export function isSame({ publisher: one }: Meeting, { publisher: other }: Meeting): boolean {
  return one?.id === other?.id && one?.session === other?.session;
}

function notOurs(): CoordinationError {
  return new CoordinationError('BACKEND', 'this is no meeting point');
}
