import { type CallLine, type Line, linesOf, type ReturnLine, type SeenLine, type Violation } from '../records.js';
import { checkConflicts } from './conflicts.js';
import { groupBy } from './grants.js';
import { processesOf } from './processes.js';

/** What was answered, with the version that the store gave it, or that it has passed. */
interface Done {
  readonly call: CallLine;
  /** Never, for a write that was not answered and that somebody saw. */
  readonly endedAt: number;
  readonly version: bigint;
}

/** A value, and the version with which somebody was answered or shown it. */
interface Found {
  readonly value: string;
  readonly version: bigint;
  readonly at: number;
}

const absent = -1n;

/**
 * Reads and writes of each value are linearizable. The store's versions say in which order writes came, so that nothing has to be
 * searched: each operation has to fit in between what ended before it began and what began after it ended.
 */
export function checkRegisters(lines: readonly Line[], sessionTimeoutMs: number): readonly Violation[] {
  const ends = new Map(linesOf(lines, 'return').map((line) => [line.op, line]));
  const calls = linesOf(lines, 'call').filter(({ action }) => action === 'get' || action === 'set');
  const seen = linesOf(lines, 'seen').filter(({ what }) => what === 'config');
  const processes = processesOf(lines);
  return [...groupBy(calls, ({ name }) => name)].flatMap(([name, all]) => {
    const refused = new Set(all.filter(({ op }) => ends.get(op)?.outcome === 'refused').map(({ op }) => op));
    const shown = seen.filter((line) => line.name === name);
    const found = foundIn(all, ends, shown);
    const versions = new Map(found.map(({ value, version }) => [value, version]));
    return [
      ...checkValues(name, all, found, refused),
      ...checkOrder(name, doneOf(all, ends, versions), passedIn(all, ends)),
      ...checkCompared(name, all, versions),
      ...checkConflicts(name, all, ends, versions, processes, 4 * sessionTimeoutMs),
    ];
  });
}

function foundIn(
  calls: readonly CallLine[],
  ends: ReadonlyMap<string, ReturnLine>,
  seen: readonly SeenLine[],
): readonly Found[] {
  const answered = calls.flatMap(({ action, op, value }) => {
    const end = ends.get(op);
    return end?.outcome === 'ok' ? [{ ...end, value: action === 'set' ? value : end.value }] : [];
  });
  return [...answered, ...seen].flatMap(({ value, version, at }) =>
    value == null || version == null ? [] : [{ value, version: BigInt(version), at }],
  );
}

function doneOf(
  calls: readonly CallLine[],
  ends: ReadonlyMap<string, ReturnLine>,
  versions: ReadonlyMap<string, bigint>,
): readonly Done[] {
  return calls.flatMap((call): Done[] => {
    const end = ends.get(call.op);
    if (end?.outcome === 'ok' && end.version !== undefined)
      return [{ call, endedAt: end.at, version: end.version === null ? absent : BigInt(end.version) }];
    const version = call.action === 'set' ? versions.get(call.op) : undefined;
    return version === undefined ? [] : [{ call, endedAt: Number.POSITIVE_INFINITY, version }];
  });
}

/** Each version has one value, each value one version, and each value was written by somebody whose write was not refused. */
function checkValues(
  name: string,
  calls: readonly CallLine[],
  found: readonly Found[],
  refused: ReadonlySet<string>,
): readonly Violation[] {
  const rule = 'a value was written once, by a write that was not refused';
  const violations: Violation[] = [];
  const values = new Map<bigint, string>();
  const versions = new Map<string, bigint>();
  const writes = new Map(calls.filter(({ action }) => action === 'set').map((call) => [call.op, call]));
  for (const { version, value, at } of found) {
    const other = values.get(version) ?? value;
    const elsewhere = versions.get(value) ?? version;
    values.set(version, value);
    versions.set(value, version);
    if (other !== value)
      violations.push({ rule, at, what: `${name}: version ${String(version)} is both ${other} and ${value}` });
    if (elsewhere !== version)
      violations.push({ rule, at, what: `${name}: ${value} has versions ${String(elsewhere)} and ${String(version)}` });
    const write = writes.get(value);
    if (write === undefined || refused.has(value))
      violations.push({ rule, at, what: `${name}: nobody wrote ${value}` });
    else if (write.at > at) violations.push({ rule, at, what: `${name}: ${value} was there before it was written` });
  }
  return violations;
}

/** Writes that were refused for the version that they expected, which says that there is a later one. */
function passedIn(calls: readonly CallLine[], ends: ReadonlyMap<string, ReturnLine>): readonly Done[] {
  return calls.flatMap((call): Done[] => {
    const end = ends.get(call.op);
    if (end?.code !== 'CONFLICT' || call.expect === undefined) return [];
    return [{ call, endedAt: end.at, version: BigInt(call.expect) + 1n }];
  });
}

/** What ended before an operation began is not newer than what that operation saw, and older than what it wrote. */
function checkOrder(name: string, done: readonly Done[], passed: readonly Done[]): readonly Violation[] {
  const ended = [...done, ...passed].sort((one, other) => one.endedAt - other.endedAt);
  const violations: Violation[] = [];
  let next = 0;
  let newest: Done | null = null;
  for (const each of [...done].sort((one, other) => one.call.at - other.call.at)) {
    for (; (ended[next]?.endedAt ?? Number.POSITIVE_INFINITY) < each.call.at; next += 1) {
      const candidate = ended[next];
      if (candidate !== undefined && (newest === null || candidate.version > newest.version)) newest = candidate;
    }
    if (newest === null) continue;
    const isStale = each.call.action === 'set' ? each.version <= newest.version : each.version < newest.version;
    if (!isStale) continue;
    const what = `${name}: ${each.call.action} ${each.call.op} answered version ${String(each.version)} after ${newest.call.op} had ended with ${String(newest.version)}`;
    violations.push({
      rule: 'no read is stale, and no write goes back',
      at: Number.isFinite(each.endedAt) ? each.endedAt : each.call.at,
      what,
    });
  }
  return violations;
}

/** Between the version that a write expected and its own there is no other, also when it was not told its own and somebody else saw it. */
function checkCompared(
  name: string,
  calls: readonly CallLine[],
  versions: ReadonlyMap<string, bigint>,
): readonly Violation[] {
  const all = [...new Set(versions.values())].sort((one, other) => (one < other ? -1 : 1));
  const before = new Map(all.map((version, index) => [version, all[index - 1] ?? absent]));
  return calls.flatMap(({ action, op, at, value = '', expect }): Violation[] => {
    const version = versions.get(value);
    if (action !== 'set' || expect === undefined || version === undefined) return [];
    const last = before.get(version) ?? absent;
    if (last <= BigInt(expect)) return [];
    const what = `${name}: ${op} expected ${expect} and wrote ${String(version)}, but ${String(last)} lies between`;
    return [{ rule: 'no update is lost', at, what }];
  });
}
