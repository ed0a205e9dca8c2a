import { processesOf } from '../checkers/processes.js';
import type { Verdict } from '../checkers/verdict.js';
import type { Line } from '../records.js';
import { type Bar, clientOf, faultBars, heldBars, legend, processBars, storeBars } from './bars.js';

const pixelsPerSecond = 12;
const laneHeight = 34;
const rowHeight = 9;
const barHeight = 7;
const axisHeight = 20;
const axisStepMs = 10_000;

/** Text that markup may not be made of. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
}

/** Where in the picture a violation is marked. */
export function markOf(index: number): string {
  return `violation-${String(index)}`;
}

/** A picture of the run: one lane per client with what it held, above them the faults and who led the store; names stay while it is scrolled. */
export function timeline(lines: readonly Line[], { violations, overlaps }: Verdict): string {
  const start = lines[0]?.at ?? 0;
  const end = lines.at(-1)?.at ?? start;
  const clients = [...new Set([...processesOf(lines).keys()].map(clientOf))].sort();
  const lanes = ['faults', 'store', ...clients];
  const height = axisHeight + lanes.length * laneHeight;
  const width = lengthOf(end - start) + 60;
  const x = (at: number): string => lengthOf(at - start).toFixed(1);
  const draw = ({ lane, row, from, to, colour, title }: Bar): string => {
    const y = axisHeight + lanes.indexOf(lane) * laneHeight + row * rowHeight;
    const length = Math.max(1.5, lengthOf(to - from)).toFixed(1);
    return `<rect x="${x(from)}" y="${String(y)}" width="${length}" height="${String(barHeight)}" fill="${colour}"><title>${escaped(title)}</title></rect>`;
  };
  const upright = (at: number, attributes: string, what = ''): string =>
    `<line x1="${x(at)}" x2="${x(at)}" y1="0" y2="${String(height)}" ${attributes}>${what}</line>`;
  const mark = (at: number, what: string, id = ''): string =>
    upright(at, `stroke="#b00020" stroke-width="2"${id}`, `<title>${escaped(what)}</title>`);

  const axis: string[] = [];
  for (let at = start; at <= end; at += axisStepMs)
    axis.push(upright(at, 'stroke="#e4e4e4"'), `<text x="${x(at)}" y="12" dx="3">${clockTime(at - start)}</text>`);
  const bars = [...faultBars(lines, end), ...storeBars(lines, end), ...processBars(lines), ...heldBars(lines)].map(
    draw,
  );
  const marks = [
    ...violations.map(({ at, what }, index) => mark(at, what, ` id="${markOf(index)}"`)),
    ...overlaps.map(({ from, thing }) => mark(from, `overlap: ${thing}`)),
  ];
  const names = lanes.map((lane, index) => {
    return `<text x="4" y="${String(axisHeight + index * laneHeight + 16)}">${escaped(lane)}</text>`;
  });
  const colours = legend.map(([meaning, colour]) => `<span><i style="background: ${colour}"></i>${meaning}</span>`);
  return `<p class="legend">${colours.join(' ')}</p><div class="timeline">${picture(80, height, names)}<div class="scroll">${picture(width, height, [...axis, ...bars, ...marks])}</div></div>`;
}

function picture(width: number, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${String(height)}" font-size="11">${parts.join('')}</svg>`;
}

function lengthOf(ms: number): number {
  return (ms / 1000) * pixelsPerSecond;
}

/** Such as `1:30`. */
function clockTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}
