import { grantsOf } from '../checkers/grants.js';
import { processesOf } from '../checkers/processes.js';
import { type Line, linesOf, type Primitive } from '../records.js';

/** Something that lasted, in one row of one lane. */
export interface Bar {
  readonly lane: string;
  readonly row: 0 | 1 | 2;
  readonly from: number;
  readonly to: number;
  readonly colour: string;
  readonly title: string;
}

const rows: Readonly<Record<Primitive, Bar['row']>> = { lock: 0, election: 1, semaphore: 2 };
const colours = {
  lock: '#3b6fb6',
  election: '#c77d1e',
  semaphore: '#5a9e6f',
  store: '#555566',
  'fault of the store': '#d37080',
  'fault of a client': '#b39ac4',
  'stood still': '#c4c4c4',
  'killed or crashed': '#111111',
} as const;

/** What each colour stands for. */
export const legend: readonly (readonly [meaning: string, colour: string])[] = Object.entries(colours).map(
  ([meaning, colour]) => [meaning === 'store' ? 'leads the store' : meaning, colour],
);

/** The client that a process ran for: each is started anew under a number of its own. */
export function clientOf(process: string): string {
  return process.replace(/\.\d+$/, '');
}

/** What clients held, for as long as they were assured of it. */
export function heldBars(lines: readonly Line[]): readonly Bar[] {
  return grantsOf(lines).map(({ by, primitive, name, token, grantedAt: from, assertedAt: to, why }) => {
    const title = `${by}: ${primitive} ${name}, token ${String(token)}, ${why ?? 'killed'}`;
    return { lane: clientOf(by), row: rows[primitive], from, to, colour: colours[primitive], title };
  });
}

/** When processes stood still, and when they were killed. */
export function processBars(lines: readonly Line[]): readonly Bar[] {
  const stopped = [...processesOf(lines)].flatMap(([name, { stops }]) =>
    stops.map(([from, to]): Bar => {
      return { lane: clientOf(name), row: 0, from, to, colour: colours['stood still'], title: `${name}: stood still` };
    }),
  );
  const ended = linesOf(lines, 'process')
    .filter(({ state }) => state === 'killed' || state === 'crashed')
    .map(({ by, state, at }): Bar => {
      const title = `${by}: ${state}`;
      return { lane: clientOf(by), row: 0, from: at, to: at, colour: colours['killed or crashed'], title };
    });
  return [...stopped, ...ended];
}

/** What was broken, and for how long. */
export function faultBars(lines: readonly Line[], end: number): readonly Bar[] {
  const faults = linesOf(lines, 'fault');
  return faults.flatMap((line, index): Bar[] => {
    if (line.phase === 'end') return [];
    const over = faults
      .slice(index + 1)
      .find(({ fault, phase, on }) => phase === 'end' && fault === line.fault && on.join() === line.on.join());
    const isOfStore = line.on.every((name) => !name.startsWith('client'));
    const colour = colours[isOfStore ? 'fault of the store' : 'fault of a client'];
    const title = `${line.fault}: ${line.on.join(', ')}`;
    return [{ lane: 'faults', row: isOfStore ? 0 : 1, from: line.at, to: over?.at ?? end, colour, title }];
  });
}

/** Which server led the store. */
export function storeBars(lines: readonly Line[], end: number): readonly Bar[] {
  const leaders = linesOf(lines, 'store');
  const names = [...new Set(leaders.flatMap(({ leader }) => leader ?? []))].sort();
  return leaders.flatMap(({ leader, at: from }, index): Bar[] => {
    if (leader === null) return [];
    const row = (names.indexOf(leader) % 3) as Bar['row'];
    const to = leaders[index + 1]?.at ?? end;
    return [{ lane: 'store', row, from, to, colour: colours.store, title: `${leader} leads` }];
  });
}
