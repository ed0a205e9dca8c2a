import type { Codec } from '../../codecs.js';
import { seal, unseal } from '../../envelope.js';
import { CoordinationError } from '../../errors.js';

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

export const nobody: Meeting = { publisher: null, value: new Uint8Array(0) };

/** Who publishes, and the codec's bytes behind it. */
export const meetings: Codec<Meeting> = {
  encode: ({ publisher, value }) =>
    seal(publisher === null ? {} : { id: publisher.id, session: publisher.session }, value),
  decode(bytes) {
    const sealed = unseal(bytes);
    if (sealed === null) throw notOurs();
    const { id, session } = sealed.header;
    if (id === undefined) return nobody;
    if (typeof id !== 'string' || typeof session !== 'string') throw notOurs();
    return { publisher: { id, session }, value: sealed.content };
  },
};

/** Whether both are the same publication, in the same session. */
export function isSame({ publisher: one }: Meeting, { publisher: other }: Meeting): boolean {
  return one?.id === other?.id && one?.session === other?.session;
}

function notOurs(): CoordinationError {
  return new CoordinationError('BACKEND', 'this is no meeting point');
}
