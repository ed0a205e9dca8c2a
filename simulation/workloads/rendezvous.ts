import { text } from '@concordat/core';
import { RegisterHistory } from '../checks/register-history.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { Fact } from '../world/store-truth.js';
import type { World } from '../world/world.js';
import { duration, type Workload } from './workload.js';

/** What is published, and in which session; `null` for nobody. */
interface Meeting {
  readonly session: string | null;
  readonly value: string;
}

type Meetings = RegisterHistory<Meeting>;

/** One meeting point: some publish, others wait for it. */
export function rendezvous(world: World): Workload {
  const meetings: Meetings = new RegisterHistory(world, 'meet', 'm', meetingOf);
  return {
    name: 'rendezvous',
    step: (client, random) => (random.chance(0.6) ? publish(client, random, meetings) : meet(client, random, meetings)),
  };
}

async function publish(client: Client, random: Random, meetings: Meetings): Promise<boolean> {
  const { scheduler, store } = client.world;
  const since = scheduler.now;
  const value = `${client.name} at ${since}`;
  const timeoutMs = Math.round(random.spread(20, 2 * client.sessionTimeoutMs));
  const publishing = client.coordinator.rendezvous('m', text).publish(value, { timeoutMs });
  const outcome = await client.attempt(
    'publish',
    ['TIMEOUT', 'ALREADY_EXISTS'],
    client.bounded('publish', timeoutMs, publishing),
  );
  if (!('value' in outcome)) {
    const hadOther = meetings.since(since).some(({ state }) => state?.session != null && state.value !== value);
    if (outcome.code === 'ALREADY_EXISTS' && !hadOther) client.report('refused-by-mistake', 'nobody published');
    return outcome.code === 'ALREADY_EXISTS';
  }
  const published = meetings.since(since).find(({ state }) => state?.value === value);
  if (published === undefined) client.report('acknowledged-and-not-written', value);
  client.world.findings.count('published');
  await client.sleep(duration(client, random));
  await client.bounded('withdraw', 4 * client.sessionTimeoutMs, outcome.value.withdraw());
  const { state } = meetings.last;
  const stands = state?.value === value && store.sessions.includes(state.session ?? '');
  // The store may hold on to a session for longer, after a restart say: then the value goes with that.
  if (stands && !client.closing && client.world.storeTroubledMs < since)
    client.report('released-and-there', `${value} is handed out after it was withdrawn`);
  return true;
}

async function meet(client: Client, random: Random, meetings: Meetings): Promise<boolean> {
  const since = client.world.scheduler.now;
  const timeoutMs = Math.round(random.spread(20, client.sessionTimeoutMs));
  const waiting = client.coordinator.rendezvous('m', text).wait({ timeoutMs });
  const outcome = await client.attempt('meet', ['TIMEOUT'], client.bounded('meet', timeoutMs, waiting));
  if (!('value' in outcome)) return true;
  const isKnown = meetings.since(since).some(({ state }) => state?.value === outcome.value);
  if (!isKnown) client.report('stale-read', `${outcome.value} was not published while it was waited for`);
  return true;
}

function meetingOf({ value }: Fact): Meeting {
  const whole = new TextDecoder().decode(value);
  const end = whole.indexOf('\n');
  const { session = null } = Object(JSON.parse(whole.slice(0, end))) as { readonly session?: string };
  return { session, value: session === null ? '' : whole.slice(end + 1) };
}
