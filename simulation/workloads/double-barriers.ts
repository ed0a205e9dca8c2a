import { json } from '@concordat/core';
import { RegisterHistory } from '../checks/register-history.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { Fact } from '../world/store-truth.js';
import type { World } from '../world/world.js';
import { duration, type Workload } from './workload.js';

interface Round {
  readonly round: number;
  readonly phase: string;
  readonly members: readonly { readonly id: string; readonly session: string }[];
  readonly lost: readonly string[];
}

type Rounds = RegisterHistory<Round>;

/** Participants of one double barrier; all name the same number, but for a few who err. */
export function doubleBarriers(world: World, random: Random): Workload {
  const rounds: Rounds = new RegisterHistory(world, 'double', 'd', roundOf);
  const parties = random.whole(2, 3);
  return {
    name: 'double barrier',
    step: (client, worker) => takePart(client, worker, rounds, worker.chance(0.1) ? parties + 1 : parties),
    settled: () => {
      const there = rounds.last.state?.members ?? [];
      const left = there.filter(({ session }) => world.store.sessions.includes(session));
      if (left.length > 0)
        world.findings.report('ghost-entry', `double/d: ${left.map(({ session }) => session).join(', ')}`);
    },
  };
}

async function takePart(client: Client, random: Random, rounds: Rounds, parties: number): Promise<boolean> {
  const { scheduler, findings } = client.world;
  const barrier = client.coordinator.doubleBarrier('d', parties);
  const since = scheduler.now;
  const timeoutMs = Math.round(random.spread(20, 2 * client.sessionTimeoutMs));
  const entering = client.bounded('enter', timeoutMs, barrier.enter({ timeoutMs }));
  const entered = await client.attempt('enter', ['TIMEOUT', 'CONFLICT'], entering);
  if (!('value' in entered)) return true;
  findings.count('entered');
  const opened = rounds.since(since).filter(({ state }) => state?.phase === 'inside');
  const full = opened.filter(({ state, fromMs }) => fromMs >= since && state?.members.length === parties);
  if (!full.some(({ state }) => hasMember(client, state)))
    client.report('entered-alone', 'no round opened with it and as many as there have to be');
  await client.sleep(duration(client, random));
  const round = opened[opened.length - 1]?.state?.round ?? 0;
  const leaving = client.bounded('leave', timeoutMs, barrier.leave({ timeoutMs }));
  const left = await client.attempt('leave', ['TIMEOUT', 'GRANT_LOST'], leaving);
  const isThere = (rounds.last.state?.round ?? 0) === round && rounds.last.state?.phase === 'inside';
  if ('value' in left && isThere) client.report('left-too-early', `round ${round} is not left by all`);
  if ('code' in left && left.code === 'GRANT_LOST' && !wasTakenForDead(client, rounds, since))
    client.report('lost-without-cause', `nobody took a participant of this client for dead`);
  return true;
}

function hasMember({ sessions }: Client, round: Round | null): boolean {
  return round?.members.some(({ session }) => sessions.has(session)) === true;
}

/** Whether somebody wrote down as lost whom this client had put there. */
function wasTakenForDead({ sessions }: Client, rounds: Rounds, sinceMs: number): boolean {
  const states = rounds.since(sinceMs).flatMap(({ state }) => state ?? []);
  const own = new Set(
    states.flatMap(({ members }) => members.filter(({ session }) => sessions.has(session)).map(({ id }) => id)),
  );
  return states.some(({ lost }) => lost.some((id) => own.has(id)));
}

function roundOf({ value }: Fact): Round {
  return Object(json.decode(value)) as Round;
}
