import { parseArgs } from 'node:util';

/** What `npm run simulate` was asked for. */
export interface Arguments {
  /** One seed alone, or `null` for many. */
  readonly seed: number | null;
  readonly from: number;
  readonly seeds: number;
  /** How many processes share the work. */
  readonly workers: number;
  /** Each so many-th seed runs twice, to see that it does the same; 0: none. */
  readonly twiceEvery: number;
  readonly trace: boolean;
  /** Whether to look for the faults that matter. */
  readonly shrink: boolean;
  /** Faults to leave out, by their number. */
  readonly without: ReadonlySet<number>;
}

/** @throws {RangeError} for what is no number, or no option of this command. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      from: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '10000' },
      workers: { type: 'string', default: '2' },
      'twice-every': { type: 'string', default: '100' },
      trace: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      without: { type: 'string', default: '' },
    },
  });
  const { seed, without } = values;
  return {
    seed: seed === undefined ? null : wholeNumber(seed, 'seed'),
    from: wholeNumber(values.from, 'from'),
    seeds: oneOrMore(values.seeds, 'seeds'),
    workers: oneOrMore(values.workers, 'workers'),
    twiceEvery: wholeNumber(values['twice-every'], 'twice-every'),
    trace: values.trace,
    shrink: values.shrink,
    without: new Set(without === '' ? [] : without.split(',').map((number) => wholeNumber(number, 'without'))),
  };
}

function oneOrMore(text: string, name: string): number {
  const number = wholeNumber(text, name);
  if (number > 0) return number;
  throw new RangeError(`--${name} takes at least 1`);
}

function wholeNumber(text: string, name: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new RangeError(`--${name} takes a whole number, not "${text}"`);
}
