import { setTimeout as delay } from 'node:timers/promises';
import { type Config, CoordinationError } from 'concordat';
import { type Context, isSettled, outcomeOf } from './context.js';

const limitMs = 4_000;

/** Reads and writes one value, with and without comparing, until nothing is to be changed any more. */
export async function readAndWrite(context: Context, name: string, config: Config<string>): Promise<void> {
  const random = context.random(`config/${name}`);
  let known: bigint | null = null;
  while (!isSettled(context)) {
    const op = `${context.name}:${context.next()}`;
    if (random.chance(0.5)) known = (await read(context, op, name, config)) ?? known;
    else known = (await write(context, op, name, config, random.chance(0.7) ? known : null)) ?? known;
    await delay(random.between(20, 200));
  }
}

/** A linearizable read; resolves to the version, `null` when there is none or it failed. */
async function read({ journal }: Context, op: string, name: string, config: Config<string>): Promise<bigint | null> {
  journal.write({ kind: 'call', op, action: 'get', name, limitMs });
  try {
    const found = await config.get({ timeoutMs: limitMs });
    const version = found === undefined ? null : String(found.version);
    journal.write({ kind: 'return', op, outcome: 'ok', version, value: found?.value ?? null });
    return found?.version ?? null;
  } catch (error) {
    fail(journal, op, error);
    return null;
  }
}

async function write(
  { journal }: Context,
  op: string,
  name: string,
  config: Config<string>,
  expect: bigint | null,
): Promise<bigint | null> {
  const compared = expect === null ? {} : { expect: String(expect) };
  journal.write({ kind: 'call', op, action: 'set', name, limitMs, value: op, ...compared });
  try {
    const version = await config.set(op, { timeoutMs: limitMs, ...(expect === null ? {} : { expect }) });
    journal.write({ kind: 'return', op, outcome: 'ok', version: String(version) });
    return version;
  } catch (error) {
    fail(journal, op, error);
    return null;
  }
}

function fail(journal: Context['journal'], op: string, error: unknown): void {
  const code = CoordinationError.is(error) ? error.code : String(error);
  journal.write({ kind: 'return', op, outcome: outcomeOf(code), code });
}
