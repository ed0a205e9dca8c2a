import { type Config, type ConfigState, jsonOf, type Versioned } from '@concordat/core';
import { type Note, VersionedRegister } from '../checks/versioned-register.js';
import { Watcher } from '../checks/watcher.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { Outcome } from '../world/outcome.js';
import type { World } from '../world/world.js';
import { limits, type Workload } from './workload.js';

const notes = jsonOf<Note>();
const writing = ['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'TIMEOUT', 'CONFLICT'] as const;

/** Two values: one that everybody counts up, and one that everybody reads, overwrites and deletes. */
export function configs(world: World): Workload {
  const counter = new VersionedRegister(world, 'counter', true);
  const plain = new VersionedRegister(world, 'plain', false);
  const watchers: Watcher<ConfigState<Note>>[] = [];
  return {
    name: 'config',
    start: (client) => {
      for (const register of [counter, plain]) watchers.push(watchValue(client, register));
    },
    step: (client, random) =>
      random.chance(0.5)
        ? increment(client, random, counter)
        : random.pick([read, overwrite, remove])(client, random, plain),
    settled: () => {
      for (const watcher of watchers) watcher.settled();
    },
  };
}

// It may skip states, never goes back, never shows one twice, and ends with the last.
function watchValue(client: Client, register: VersionedRegister): Watcher<ConfigState<Note>> {
  const { truth } = client.world;
  let highest = 0n;
  return new Watcher(client, `value$ of ${register.path}`, open(client, register).value$, {
    follows: (before, now) => before.version !== now.version || before.stale !== now.stale,
    isWhole: ({ version = highest }) => {
      const rises = version >= highest;
      highest = version;
      return rises;
    },
    isLast: ({ version, stale }) => !stale && version === truth.get('config', register.path)?.version,
  });
}

async function increment(client: Client, random: Random, register: VersionedRegister): Promise<boolean> {
  const call = register.call(client);
  const options = limits(client, random);
  const updating = open(client, register).update((current) => call.note((current?.count ?? 0) + 1), options);
  const bounded = options.timeoutMs === undefined ? updating : client.bounded('update', options.timeoutMs, updating);
  const outcome = await client.attempt('increment', writing, bounded, options.signal);
  call.wrote(outcome, ({ version }) => version);
  return 'value' in outcome;
}

async function overwrite(client: Client, random: Random, register: VersionedRegister): Promise<boolean> {
  const config = open(client, register);
  const found = random.chance(0.5) ? await readOnce(client, config, register) : null;
  const known = found !== null && 'value' in found ? ({ expect: found.value?.version ?? 'absent' } as const) : {};
  const call = register.call(client);
  const setting = client.bounded('set', client.requestTimeoutMs, config.set(call.note(0), known));
  const outcome = await client.attempt('set', writing, setting);
  call.wrote(outcome, (version) => version, versionOf(known.expect));
  return 'value' in outcome || outcome.code === 'CONFLICT';
}

async function read(client: Client, _: Random, register: VersionedRegister): Promise<boolean> {
  return 'value' in (await readOnce(client, open(client, register), register));
}

async function remove(client: Client, _: Random, register: VersionedRegister): Promise<boolean> {
  const call = register.call(client);
  const deleting = client.bounded('delete', client.requestTimeoutMs, open(client, register).delete());
  const outcome = await client.attempt('delete', writing, deleting);
  call.removed(outcome);
  return 'value' in outcome;
}

async function readOnce(
  client: Client,
  config: Config<Note>,
  register: VersionedRegister,
): Promise<Outcome<Versioned<Note> | undefined>> {
  const call = register.call(client);
  const reading = client.bounded('get', client.requestTimeoutMs, config.get());
  const outcome = await client.attempt('get', ['UNAVAILABLE'], reading);
  if ('value' in outcome) call.read(outcome.value);
  else call.failed(outcome);
  return outcome;
}

function versionOf(expected: bigint | 'absent' | undefined): bigint | null | undefined {
  return expected === 'absent' ? null : expected;
}

function open(client: Client, { path }: VersionedRegister): Config<Note> {
  return client.coordinator.config(path, notes);
}
