import { grantsOf } from '../checkers/grants.js';
import { processesOf } from '../checkers/processes.js';
import type { Verdict } from '../checkers/verdict.js';
import { type Line, linesOf } from '../records.js';

const pixelsPerSecond = 12;
const laneHeight = 34;
const left = 110;
const colours = { lock: '#3b6fb6', election: '#c77d1e', semaphore: '#5a9e6f' } as const;

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly row: number;
  readonly colour: string;
  readonly title: string;
}

/** Text that markup may not be made of. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
}

/** A picture of the run: one lane per client's process with what it held, above them the faults and who led the store. */
export function timeline(lines: readonly Line[], { violations, overlaps }: Verdict): string {
  const start = lines[0]?.at ?? 0;
  const end = lines.at(-1)?.at ?? start;
  const processes = processesOf(lines);
  const lanes = ['faults', 'store', ...[...processes.keys()].sort()];
  const x = (at: number): string => (left + ((at - start) / 1000) * pixelsPerSecond).toFixed(1);
  const width = left + ((end - start) / 1000) * pixelsPerSecond + 20;
  const height = lanes.length * laneHeight + 30;
  const draw = (lane: string, { from, to, row, colour, title }: Bar): string => {
    const y = lanes.indexOf(lane) * laneHeight + 4 + row * 9;
    const size = Math.max(1, ((to - from) / 1000) * pixelsPerSecond).toFixed(1);
    return `<rect x="${x(from)}" y="${String(y)}" width="${size}" height="7" fill="${colour}"><title>${escaped(title)}</title></rect>`;
  };
  const rows = { lock: 0, election: 1, semaphore: 2 } as const;
  const held = grantsOf(lines).map((grant) => {
    const title = `${grant.primitive} ${grant.name}, token ${String(grant.token)}, ${grant.why ?? 'killed'}`;
    return draw(grant.by, {
      from: grant.grantedAt,
      to: grant.assertedAt,
      row: rows[grant.primitive],
      colour: colours[grant.primitive],
      title,
    });
  });
  const still = [...processes].flatMap(([name, { stops }]) =>
    stops.map(([from, to]) => draw(name, { from, to, row: 0, colour: '#9998', title: 'stopped' })),
  );
  const names = lanes.map(
    (lane, index) => `<text x="4" y="${String(index * laneHeight + 18)}">${escaped(lane)}</text>`,
  );
  const marks = [
    ...violations.map(({ at, what }) => ({ at, what })),
    ...overlaps.map(({ from, thing }) => ({ at: from, what: `overlap: ${thing}` })),
  ].map(
    ({ at, what }) =>
      `<line x1="${x(at)}" x2="${x(at)}" y1="0" y2="${String(height)}" stroke="#b00020"><title>${escaped(what)}</title></line>`,
  );
  const parts = [...names, ...faultBars(lines, end, draw), ...storeBars(lines, end, draw), ...held, ...still, ...marks];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${String(height)}" font-size="11">${parts.join('')}</svg>`;
}

type Draw = (lane: string, bar: Bar) => string;

function faultBars(lines: readonly Line[], end: number, draw: Draw): readonly string[] {
  const faults = linesOf(lines, 'fault');
  return faults.flatMap((line, index) => {
    if (line.phase === 'end') return [];
    const over = faults
      .slice(index + 1)
      .find(({ fault, phase, on }) => phase === 'end' && fault === line.fault && on.join() === line.on.join());
    const isOfStore = line.on.every((name) => !name.startsWith('client'));
    const title = `${line.fault}: ${line.on.join(', ')}`;
    return [
      draw('faults', {
        from: line.at,
        to: over?.at ?? end,
        row: isOfStore ? 0 : 1,
        colour: isOfStore ? '#b0002088' : '#77448888',
        title,
      }),
    ];
  });
}

function storeBars(lines: readonly Line[], end: number, draw: Draw): readonly string[] {
  const leaders = linesOf(lines, 'store');
  return leaders.flatMap(({ leader, at }, index) => {
    if (leader === null) return [];
    const row = Number(leader.slice(-1)) - 1;
    return [
      draw('store', { from: at, to: leaders[index + 1]?.at ?? end, row, colour: '#556', title: `${leader} leads` }),
    ];
  });
}
