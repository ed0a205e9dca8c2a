import { CoordinationError, text } from '@concordat/core';
import { type Execution, Executions } from '../checks/executions.js';
import type { GuardedLine } from '../checks/holding.js';
import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { granted } from './critical-section.js';
import { requireEmpty } from './lines.js';
import { duration, limits, type Workload } from './workload.js';

const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'] as const;
const failures = ['TIMEOUT', 'OUTCOME_UNKNOWN', 'GRANT_LOST'] as const;

/** A gate that runs the work of a few keys at most once, unless somebody consents. */
export function once(world: World): Workload {
  const executions = new Executions(world.findings);
  const lines = new Map(keys.map((key) => [key, lineOf(world, key)]));
  return {
    name: 'once',
    step: (client, random) => {
      const [key, line] = random.pick([...lines]);
      return run(client, random, executions, key, line);
    },
    settled: () => {
      for (const { dir } of lines.values()) requireEmpty(world, dir);
    },
  };
}

function lineOf(world: World, key: string): GuardedLine {
  const line: GuardedLine = { dir: `once/jobs/lock/${key}`, permits: 1, excludes: () => true };
  world.truth.follow(line.dir, 'line');
  return line;
}

async function run(
  client: Client,
  random: Random,
  executions: Executions,
  key: string,
  line: GuardedLine,
): Promise<boolean> {
  const consents = random.chance(0.2);
  const failing = random.chance(0.25) ? new WorkFailure() : null;
  const executed: Execution[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const options = limits(client, random);
  const running = client.coordinator.idempotency('jobs', text).run(
    key,
    async (grant) => {
      begin();
      const execution = executions.begins(key, client.name, consents);
      executed.push(execution);
      granted(client, random, line, grant, false);
      await client.sleep(duration(client, random));
      executions.ends(execution, failing === null ? 'answered' : 'threw');
      if (failing !== null) throw failing;
      return execution.answer;
    },
    { ...options, onInterrupted: consents ? 'rerun' : 'reject' },
  );
  // The limits are for the waiting before the work only.
  if (options.timeoutMs !== undefined)
    void client.bounded('once', options.timeoutMs, Promise.race([begun, settled(running)]));
  const outcome = await client.attempt(
    `once ${key}`,
    failures,
    failing === null ? running : orFailed(running, failing),
    options.signal,
  );
  if (!('value' in outcome)) return outcome.code === 'OUTCOME_UNKNOWN';
  if (outcome.value === failing) executions.failed(key, executed);
  else executions.answered(key, client.name, String(outcome.value));
  return true;
}

class WorkFailure extends Error {}

function orFailed<T>(running: Promise<T>, failure: WorkFailure): Promise<T | WorkFailure> {
  return running.catch((reason: unknown) => {
    if (reason === failure) return failure;
    throw reason;
  });
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.catch((reason: unknown) => {
    if (!CoordinationError.is(reason) && !(reason instanceof Error)) throw reason;
  });
}
