import { type Members, text } from '@concordat/core';
import { kindOf } from '../checks/holding.js';
import { Watcher } from '../checks/watcher.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { requireEmpty } from './lines.js';
import { crew as dir, Ids, Stay } from './membership.js';
import { limits, type Workload } from './workload.js';

/** Members of one group, with fewer ids than there are who want one. */
export function groups(world: World): Workload {
  world.truth.follow(dir, 'line');
  const watchers: Watcher<Members<string>>[] = [];
  const ids = new Ids();
  return {
    name: 'group',
    start: (client) => watchers.push(watchMembers(client)),
    step: (client, random) => join(client, random, ids),
    settled: () => {
      requireEmpty(world, dir);
      for (const watcher of watchers) watcher.settled();
    },
  };
}

// Sorted, each id once, no id with a lower token than before, and in the end as the store has it.
function watchMembers(client: Client): Watcher<Members<string>> {
  const { truth } = client.world;
  const highest = new Map<string, bigint>();
  return new Watcher(client, 'members$', client.coordinator.group('crew', text).members$, {
    isWhole: ({ members }) =>
      members.every(({ id, token }, index) => {
        const isSorted = index === 0 || (members[index - 1]?.id ?? '') < id;
        const rises = token >= (highest.get(id) ?? 0n);
        highest.set(id, token);
        return isSorted && rises;
      }),
    isLast: ({ members, stale }) => !stale && members.length === truth.present(dir).length,
  });
}

async function join(client: Client, random: Random, ids: Ids): Promise<boolean> {
  const { scheduler, findings } = client.world;
  const id = `m${random.whole(1, 4)}`;
  const options = limits(client, random);
  const since = scheduler.now;
  // Nobody asks the store for an id that is joined, or about to be, right here.
  const isTaken = ids.asks(client, id);
  const joining = client.coordinator.group('crew', text).join(id, `${client.name} at first`, options);
  const bounded = options.timeoutMs === undefined ? joining : client.bounded('join', options.timeoutMs, joining);
  const outcome = await client.attempt(`join ${id}`, ['TIMEOUT', 'ALREADY_EXISTS'], bounded, options.signal);
  if ('value' in outcome) {
    findings.count('joined');
    await new Stay(client, outcome.value, ids).last(random);
  } else if (outcome.code === 'ALREADY_EXISTS' && !isTaken && !hadOther(client, id, since))
    client.report('refused-by-mistake', `nobody else had ${id} when it was refused`);
  ids.forgets(client, id);
  return 'value' in outcome || outcome.code === 'ALREADY_EXISTS';
}

/** Whether an entry of another client with that id was there since then. */
function hadOther(client: Client, id: string, sinceMs: number): boolean {
  return client.world.truth
    .since(dir, sinceMs)
    .some((past) => kindOf(past) === `member:${id}` && !client.sessions.has(past.owner ?? ''));
}
