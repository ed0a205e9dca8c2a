import { type Codec, json } from '../../codecs.js';
import { CoordinationError } from '../../errors.js';
import { fieldsOf, isCount } from '../../json-fields.js';

/** One participation, from an `enter` to its `leave`. */
export interface Member {
  /** New with each `enter`, so a late request of an earlier one is told apart. */
  readonly id: string;
  /** Session that it lives with. */
  readonly session: string;
}

/** All there is to know of a double barrier. */
export interface Round {
  readonly round: number;
  readonly parties: number;
  readonly phase: 'gathering' | 'inside';
  readonly members: readonly Member[];
  /** Ids of the latest that were inside and taken for dead: should one of them be alive, it has to hear of it. */
  readonly lost: readonly string[];
}

const mostLost = 100;

/** Before anybody came. */
export const noRound: Round = { round: 1, parties: 0, phase: 'gathering', members: [], lost: [] };

export const rounds: Codec<Round> = {
  encode: ({ round, parties, phase, members, lost }) => json.encode({ round, parties, phase, members, lost }),
  decode(bytes) {
    const { round, parties, phase, members, lost } = fieldsOf(json.decode(bytes));
    const isPhase = phase === 'gathering' || phase === 'inside';
    if (!isCount(round) || !isCount(parties) || !isPhase || !Array.isArray(members) || !Array.isArray(lost))
      throw notOurs();
    return { round, parties, phase, members: members.map(memberOf), lost: lost.map(String) };
  },
};

export function findMember({ members }: Round, id: string | undefined): Member | undefined {
  return members.find((member) => member.id === id);
}

/** The round with only these of its members; when the last one has left, the next round. */
export function withMembers(round: Round, members: readonly Member[]): Round {
  if (round.phase === 'gathering' || members.length > 0) return { ...round, members };
  return { ...round, round: round.round + 1, phase: 'gathering', members };
}

/** The round without that member; the same where it is not among them. */
export function withoutMember(round: Round, id: string): Round {
  const members = round.members.filter((member) => member.id !== id);
  return members.length === round.members.length ? round : withMembers(round, members);
}

/** The round without those that are dead, who are remembered when they were inside. */
export function withoutDead(round: Round, dead: readonly Member[]): Round {
  const lost = round.phase === 'inside' ? [...round.lost, ...dead.map(({ id }) => id)].slice(-mostLost) : round.lost;
  const living = round.members.filter((member) => !dead.includes(member));
  return withMembers({ ...round, lost }, living);
}

function memberOf(value: unknown): Member {
  const { id, session } = fieldsOf(value);
  if (typeof id === 'string' && typeof session === 'string') return { id, session };
  throw notOurs();
}

function notOurs(): CoordinationError {
  return new CoordinationError('BACKEND', 'this is no double barrier');
}
