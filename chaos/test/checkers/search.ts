import { type CallLine, type Line, linesOf, type ReturnLine } from '../../records.js';

interface Operation {
  readonly call: CallLine;
  readonly end: ReturnLine | undefined;
}

const nothing = '';

/**
 * Whether reads and writes of one value can be put in an order that explains every answer, each between its call and its end. Tries every order,
 * by values alone: what versions say is only used to know which value a write expected.
 */
export function isLinearizable(lines: readonly Line[]): boolean {
  const ends = new Map(linesOf(lines, 'return').map((line) => [line.op, line]));
  const operations = linesOf(lines, 'call')
    .map((call): Operation => ({ call, end: ends.get(call.op) }))
    .filter(({ end }) => end?.outcome !== 'refused' || end.code === 'CONFLICT');
  const values = new Map(operations.flatMap(({ call, end }) => valueAt(call, end)));
  const tried = new Set<string>();

  const goesOn = (left: readonly Operation[], value: string): boolean => {
    if (left.every(isOptional)) return true;
    const state = `${left.map(({ call }) => call.op).join(' ')}|${value}`;
    if (tried.has(state)) return false;
    tried.add(state);
    // Nothing comes after what began when it had ended.
    const firstEnd = Math.min(...left.map(endOf));
    return left
      .filter(({ call }) => call.at <= firstEnd)
      .some((next) => {
        const after = apply(next, value, values);
        return after !== null && goesOn(without(left, next), after);
      });
  };
  return goesOn(operations, nothing);
}

/** Whose outcome nobody knows may have done nothing. */
function isOptional({ end }: Operation): boolean {
  return end === undefined || end.outcome === 'unknown';
}

function endOf(operation: Operation): number {
  return isOptional(operation) ? Number.POSITIVE_INFINITY : (operation.end?.at ?? Number.POSITIVE_INFINITY);
}

/** What is there afterwards, or `null` where it cannot be next. */
function apply({ call, end }: Operation, value: string, values: ReadonlyMap<string, string>): string | null {
  if (call.action === 'get') return end?.outcome !== 'ok' || end.value === value ? value : null;
  // A version that nobody was told of may be of any value.
  const expected = call.expect === undefined ? value : values.get(call.expect);
  if (end?.code === 'CONFLICT') return expected === value ? null : value;
  return expected === undefined || expected === value ? (call.value ?? nothing) : null;
}

function valueAt(call: CallLine, end: ReturnLine | undefined): [string, string][] {
  const value = call.action === 'set' ? call.value : end?.value;
  return end?.outcome === 'ok' && end.version != null && value != null ? [[end.version, value]] : [];
}

function without(all: readonly Operation[], one: Operation): readonly Operation[] {
  return all.filter((other) => other !== one);
}
