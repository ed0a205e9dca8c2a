import { defer, distinctUntilChanged, map, mergeMap, type Observable } from 'rxjs';
import { type Codec, decodeValue } from '../../codecs.js';
import type { Context } from '../../context.js';
import { CoordinationError } from '../../errors.js';
import { type Contender, waitingLine } from '../../lines/waiting-line.js';
import { decodeName, encodeName } from '../../names.js';
import type { Key } from '../../spi/backend.js';
import type { Member, MemberChange, Members } from '../group.js';

const kindPrefix = 'member:';

/** What kind of entry a member has: its id stands in it, so that the store tells who has the same. */
export function kindOf(id: string): `member:${string}` {
  return `${kindPrefix}${encodeName(id)}`;
}

/** Who is in a group; see `Group.members$`. */
export function membersOf<T>(context: Context, dir: Key, codec: Codec<T>): Observable<Members<T>> {
  return defer(() => {
    const list = new MemberList(codec, (session) => context.ownSessions.has(session));
    return waitingLine(context, dir).pipe(
      map(({ contenders, stale }) => ({ members: list.show(contenders), stale })),
      distinctUntilChanged((one, other) => one.members === other.members && one.stale === other.stale),
    );
  });
}

/** What happens in a group; see `Group.changes$`. */
export function changesOf<T>(members$: Observable<Members<T>>): Observable<MemberChange<T>> {
  return defer(() => {
    let before: readonly Member<T>[] = [];
    return members$.pipe(
      mergeMap(({ members: now }) => {
        const changes = changesBetween(before, now);
        before = now;
        return changes;
      }),
    );
  });
}

interface Known<T> {
  readonly contender: Contender;
  readonly member: Member<T>;
}

/** The members behind the entries of a group. Of what did not change the member is the same object as before. */
class MemberList<T> {
  readonly #codec: Codec<T>;
  readonly #isOwn: (session: string) => boolean;
  #known: ReadonlyMap<string, Known<T>> = new Map();
  #shown: readonly Member<T>[] | null = null;

  constructor(codec: Codec<T>, isOwn: (session: string) => boolean) {
    this.#codec = codec;
    this.#isOwn = isOwn;
  }

  /** The same list as before when nothing changed. */
  show(contenders: readonly Contender[]): readonly Member<T>[] {
    const known = new Map<string, Known<T>>();
    // The oldest entry has the id; whoever stands behind it with the same is not in.
    for (const contender of contenders) {
      const id = idOf(contender);
      if (id !== null && !known.has(id)) known.set(id, this.#knownAs(id, contender));
    }
    this.#known = known;
    const members = [...known.values()].map(({ member }) => member).sort((one, other) => (one.id < other.id ? -1 : 1));
    const before = this.#shown;
    const same = before?.length === members.length && members.every((member, index) => member === before[index]);
    this.#shown = same ? before : members;
    return this.#shown;
  }

  #knownAs(id: string, contender: Contender): Known<T> {
    const before = this.#known.get(id);
    if (before !== undefined && isSame(before.contender, contender)) return before;
    const { token, data, session } = contender;
    return { contender, member: { id, token, own: this.#isOwn(session), ...this.#read(id, data) } };
  }

  #read(id: string, data: Uint8Array): Pick<Member<T>, 'data' | 'error'> {
    try {
      return { data: decodeValue(this.#codec, data, `member "${id}"`), error: null };
    } catch (error) {
      if (!CoordinationError.is(error)) throw error;
      return { data: undefined, error };
    }
  }
}

function isSame(one: Contender, other: Contender): boolean {
  return one.entry === other.entry && one.token === other.token && Buffer.compare(one.data, other.data) === 0;
}

/** `null` for what is no entry of a member, or of one that says its id in a way of its own, which nobody would meet. */
function idOf({ kind }: Contender): string | null {
  if (kind?.startsWith(kindPrefix) !== true) return null;
  try {
    const id = decodeName(kind.slice(kindPrefix.length));
    return kindOf(id) === kind ? id : null;
  } catch {
    return null;
  }
}

/** Departures first: whoever came back is first gone with the old token. Both lists are sorted. */
function changesBetween<T>(before: readonly Member<T>[], now: readonly Member<T>[]): readonly MemberChange<T>[] {
  if (before === now) return [];
  const old = new Map(before.map((member) => [member.token, member]));
  const changes: MemberChange<T>[] = [];
  for (const member of now) {
    const known = old.get(member.token);
    old.delete(member.token);
    if (known === undefined) changes.push({ type: 'joined', member });
    else if (known !== member) changes.push({ type: 'updated', member, before: known });
  }
  return [...[...old.values()].map((member) => ({ type: 'left' as const, member })), ...changes];
}
