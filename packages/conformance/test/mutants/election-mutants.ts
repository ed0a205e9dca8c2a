import { CoordinationError, type Coordinator, type Election, type Grant } from '@concordat/core';
import { catchError, concatMap, delay, EMPTY, filter, map, of, pairwise, startWith, takeWhile } from 'rxjs';
import { brokenBackend, brokenCoordinator, brokenReports, type Mutant, replaced } from './mutant.js';

let offices = 0;

/** Coordinators and backends whose elections are wrong. */
export const electionMutants: readonly Mutant[] = [
  brokenElection('an office for each candidate', ['ELECT-02', 'ELECT-03', 'ELECT-43'], (_, coordinator) => ({
    campaign: (options) => coordinator.election(`office ${String(++offices)}`).campaign(options),
  })),
  brokenElection('a candidate that is not said to wait', ['ELECT-01', 'ELECT-04', 'ELECT-43'], (election) => ({
    campaign: (options) => election.campaign(options).pipe(filter(({ state }) => state !== 'waiting')),
  })),
  brokenElection('a leader that is not told its loss', ['ELECT-04', 'ELECT-40', 'ELECT-41'], (election) => ({
    campaign: (options) => election.campaign(options).pipe(filter(({ state }) => state !== 'lost')),
  })),
  brokenElection('a campaign that ends with its first term', ['ELECT-04', 'ELECT-40', 'ELECT-41'], (election) => ({
    campaign: (options) => election.campaign(options).pipe(takeWhile(({ state }) => state !== 'lost', true)),
  })),
  brokenElection('a campaign that completes when its limits end it', ['ELECT-06'], (election) => ({
    campaign: (options) => election.campaign(options).pipe(catchError(() => EMPTY)),
  })),
  brokenElection('a campaign without limits', ['ELECT-06'], (election) => ({
    campaign: ({ signal: _, timeoutMs: __, ...options } = {}) => election.campaign(options),
  })),
  brokenElection('nobody shown while the office changes hands', ['ELECT-10', 'ELECT-12'], (election) => ({
    leader$: election.leader$.pipe(
      startWith(undefined),
      pairwise(),
      concatMap(([before, now]) => (before === undefined || before.token === now?.token ? [now] : [undefined, now])),
    ),
  })),
  brokenElection('a leader that is shown as if nothing were wrong', ['ELECT-12'], (election) => ({
    leader$: election.leader$.pipe(map((leader) => leader && { ...leader, stale: false })),
  })),
  brokenElection('a view that ends with what it cannot read', ['ELECT-11'], (election) => ({
    leader$: election.leader$.pipe(takeWhile((leader) => leader?.error == null)),
  })),
  brokenElection('an office that is told to be held for longer', ['ELECT-17', 'ELECT-44'], (election) => ({
    isLeader$: election.isLeader$.pipe(concatMap((leads) => of(leads).pipe(delay(leads ? 0 : 20)))),
  })),
  brokenElection('a proclaim that is only hoped for', ['ELECT-15', 'ELECT-16'], (election) => ({
    proclaim: (value) => election.proclaim(value).catch(() => undefined),
  })),
  brokenElection('a resign that does nothing', ['ELECT-30', 'ELECT-31', 'ELECT-32'], () => ({
    resign: () => Promise.resolve(),
  })),
  brokenElection('a resign that does not wait', ['ELECT-30', 'ELECT-32', 'ELECT-34'], (election) => ({
    resign: () => {
      void election.resign();
      return Promise.resolve();
    },
  })),
  brokenElection('a resign that only releases', ['ELECT-30', 'ELECT-32'], (election) => {
    const grants: Grant[] = [];
    return {
      lead: (work, options) =>
        election.lead((grant) => {
          grants.push(grant);
          return work(grant);
        }, options),
      resign: async () => {
        await Promise.all(grants.map((grant) => grant.release()));
      },
    };
  }),
  brokenElection('work that is not waited for when it is lost', ['ELECT-23', 'ELECT-24'], (election) => ({
    lead: (work, options) =>
      election.lead(
        (grant) =>
          Promise.race([
            work(grant),
            new Promise<never>((_, reject) => {
              grant.signal.addEventListener('abort', () => reject(new Error('lost')));
            }),
          ]),
        options,
      ),
  })),
  brokenElection('work whose answer hides the loss', ['ELECT-24'], (election) => ({
    lead: async (work, options) => {
      const answers: Awaited<ReturnType<typeof work>>[] = [];
      const led = election.lead(async (grant) => {
        answers.push(await work(grant));
        return answers[0];
      }, options);
      return led.catch((reason: unknown) => {
        if (!CoordinationError.is(reason, 'GRANT_LOST')) throw reason;
        return answers[0];
      });
    },
  })),
  brokenElection('work that runs once', ['ELECT-20', 'ELECT-23'], (election) => ({
    lead: (work, options) => election.lead(work, { ...options, requeue: false }),
  })),
  brokenBackend('an entry that keeps what it said', ['ELECT-14', 'ELECT-11'], () => ({
    update: () => Promise.resolve(),
  })),
  brokenBackend('an entry that is updated at the end of the line', ['ELECT-14'], (backend, { session }) => ({
    update: async (entry, data, call) => {
      await backend.leave(entry, call);
      const { signal } = new AbortController();
      await backend.enter(entry.dir, entry.kind, data, { limit: 1 }, { epoch: session.epoch, signal });
    },
  })),
  brokenBackend('a line that is shown with the last in front', ['ELECT-10', 'ELECT-14'], (backend) => ({
    watchChildren: (dir, options) =>
      backend.watchChildren(dir, options).pipe(map((children) => [...children].reverse())),
  })),
  brokenBackend('a candidate that looks at nobody', ['ELECT-02', 'ELECT-03', 'ELECT-30'], (backend) => ({
    enter: async (...given) => ({ ...(await backend.enter(...given)), ahead: [] }),
  })),
  brokenReports('a leader whose deadline is too late', ['ELECT-42'], (session) => ({
    opened: (id, timeoutMs, sentAt, lagMs) => session.opened(id, timeoutMs + 2_500, sentAt, lagMs),
  })),
];

function brokenElection(
  name: string,
  fails: readonly string[],
  change: (election: Election<string>, coordinator: Coordinator) => Partial<Election<string>>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    const election = (...given: Parameters<Coordinator['election']>): Election<string> => {
      const original = coordinator.election(...given) as unknown as Election<string>;
      return replaced(original, change(original, coordinator));
    };
    return { election: election as Coordinator['election'] };
  });
}
