import type { Group, Membership } from '@concordat/core';
import { CoordinationError } from '@concordat/core';
import { catchError, EMPTY, map, mergeMap, NEVER, throwError } from 'rxjs';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

/** Groups that are wrong. */
export const groupMutants: readonly Mutant[] = [
  brokenBackend('a group in which an id may be had twice', ['GROUP-03', 'GROUP-04', 'GROUP-34'], (backend) => ({
    enter: async (...enter) => ({ ...(await backend.enter(...enter)), ahead: [] }),
  })),
  brokenBackend('a group in which every older entry is in the way', ['GROUP-40'], (backend) => ({
    get: async (key, consistency, call) => {
      const found = await backend.get(key, consistency, call);
      return found !== null && key.startsWith('group/') ? { ...found, owner: 'somebody' } : found;
    },
    gone: (ref, options) => ('epoch' in ref ? backend.gone(ref, options) : NEVER),
  })),
  brokenBackend('a member that does not come back', ['GROUP-30', 'GROUP-32', 'GROUP-37'], (backend) => ({
    enter: (dir, kind, data, rule, context) =>
      context.epoch > 1 && dir.startsWith('group/')
        ? Promise.reject(new CoordinationError('BACKEND', 'once is enough'))
        : backend.enter(dir, kind, data, rule, context),
  })),
  brokenBackend('a member that does not see that it was removed', ['GROUP-33'], (backend) => ({
    gone: (ref, options) => ('epoch' in ref ? NEVER : backend.gone(ref, options)),
  })),
  brokenBackend('a removal that is taken for the end of the session', ['GROUP-33'], (backend, { session }) => ({
    confirm: (call) => {
      session.lose(session.epoch, new CoordinationError('SESSION_LOST', 'it must have been'));
      return backend.confirm(call);
    },
  })),
  brokenBackend('an update that is a new entry', ['GROUP-06', 'GROUP-24', 'GROUP-31'], (backend) => ({
    update: async (entry, data, call) => {
      await backend.leave(entry, call);
      const { signal } = new AbortController();
      await backend.enter(entry.dir, entry.kind, data, { limit: 1 }, { epoch: entry.epoch, signal });
    },
  })),
  brokenMembership('an update that takes silence for a yes', ['GROUP-08', 'GROUP-10', 'GROUP-38'], (membership) => ({
    update: (data, options) => membership.update(data, options).catch(() => undefined),
  })),
  brokenMembership('an update with the data that was joined with', ['GROUP-06', 'GROUP-22', 'GROUP-32'], () => ({
    update: async () => undefined,
  })),
  brokenMembership('a leave that only says so', ['GROUP-05', 'GROUP-07'], () => ({
    leave: () => Promise.resolve(),
  })),
  brokenMembership('a membership that ends without saying so', ['GROUP-33', 'GROUP-34'], () => ({
    signal: new AbortController().signal,
  })),
  brokenGroup('members in the order in which they came', ['GROUP-02', 'GROUP-20'], (group) => ({
    members$: group.members$.pipe(
      map((shown) => ({ ...shown, members: [...shown.members].sort((a, b) => (a.token < b.token ? -1 : 1)) })),
    ),
  })),
  brokenGroup('members that are never stale', ['GROUP-23'], (group) => ({
    members$: group.members$.pipe(map((shown) => ({ ...shown, stale: false }))),
  })),
  brokenGroup('a group that is empty in an outage', ['GROUP-23'], (group) => ({
    members$: group.members$.pipe(map((shown) => (shown.stale ? { members: [], stale: true } : shown))),
  })),
  brokenGroup('members that one of them can end', ['GROUP-22'], (group) => ({
    members$: group.members$.pipe(
      mergeMap((shown) => {
        const broken = shown.members.find(({ error }) => error !== null);
        return broken === undefined ? [shown] : throwError(() => broken.error);
      }),
    ),
  })),
  brokenGroup('departures that do not say what left', ['GROUP-24', 'GROUP-30'], (group) => ({
    changes$: group.changes$.pipe(
      map((change) => (change.type === 'left' ? { ...change, member: { ...change.member, data: undefined } } : change)),
    ),
  })),
  brokenGroup('changes without those who were there', ['GROUP-24'], (group) => {
    let first = true;
    return {
      changes$: group.changes$.pipe(
        mergeMap((change) => {
          const told = first ? [] : [change];
          first = false;
          return told;
        }),
        catchError(() => EMPTY),
      ),
    };
  }),
  brokenGroup('a join without its limits', ['GROUP-09'], (group) => ({
    join: (id, data) => group.join(id, data),
  })),
];

function brokenGroup(
  name: string,
  fails: readonly string[],
  change: (group: Group<unknown>) => Partial<Group<unknown>>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    const group = (...of: Parameters<typeof coordinator.group>): Group<unknown> => {
      const original = coordinator.group(...of);
      return replaced(original, change(original));
    };
    return { group: group as typeof coordinator.group };
  });
}

function brokenMembership(
  name: string,
  fails: readonly string[],
  change: (membership: Membership<unknown>) => Partial<Membership<unknown>>,
): Mutant {
  return brokenGroup(name, fails, (group) => ({
    join: async (...given) => {
      const membership = await group.join(...given);
      return replaced(membership, change(membership));
    },
  }));
}
