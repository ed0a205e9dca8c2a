import type { Election, Leader } from '@concordat/core';
import type { GuardedLine } from '../checks/holding.js';
import { Watcher } from '../checks/watcher.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { granted, work } from './critical-section.js';
import { requireEmpty } from './lines.js';
import { StreamedCandidate } from './streamed-candidate.js';
import { limits, type Workload } from './workload.js';

const office: GuardedLine = { dir: 'election/chief', permits: 1, excludes: () => true };

/** Candidates for one office: as streams, and as terms of work. */
export function elections(world: World): Workload {
  world.truth.follow(office.dir, 'line');
  world.turns.follow(office);
  const watchers: Watcher<Leader<string> | undefined>[] = [];
  return {
    name: 'election',
    start: (client) => watchers.push(watchLeader(client)),
    step: (client, random) => {
      const election = client.coordinator.election('chief');
      return random.chance(0.6) ? campaign(client, random, election) : lead(client, random, election);
    },
    settled: () => {
      requireEmpty(world, office.dir);
      for (const watcher of watchers) watcher.settled();
    },
  };
}

// Never back to a lower token, and in the end nobody, as the line is.
function watchLeader(client: Client): Watcher<Leader<string> | undefined> {
  let highest = 0n;
  return new Watcher(client, 'leader$', client.coordinator.election('chief').leader$, {
    isWhole: (leader) => {
      if (leader === undefined) return true;
      const rises = leader.token >= highest;
      highest = leader.token;
      return rises;
    },
    isLast: (leader) => leader === undefined,
  });
}

async function lead(client: Client, random: Random, election: Election<string>): Promise<boolean> {
  const options = limits(client, random);
  let terms = 0;
  const leading = election.lead(
    async (grant) => {
      terms++;
      const holding = granted(client, random, office, grant);
      await work(client, random, holding);
      client.world.grants.released(holding);
    },
    { ...options, value: client.name, requeue: false },
  );
  const outcome = await client.attempt('lead', ['TIMEOUT', 'GRANT_LOST'], leading, options.signal);
  return 'value' in outcome && terms === 1;
}

async function campaign(client: Client, random: Random, election: Election<string>): Promise<boolean> {
  const candidate = new StreamedCandidate(client, random, election, office);
  await candidate.over;
  return candidate.terms > 0;
}
