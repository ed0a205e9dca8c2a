import type { Verdict } from '../checkers/verdict.js';
import { type Line, linesOf } from '../records.js';
import type { RunOptions } from '../run/options.js';
import { figures } from './figures.js';
import { escaped, markOf, timeline } from './timeline.js';

const style = `
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: 0.2em 0.8em; border: 1px solid #ccc; text-align: left; }
.good { color: #17682e; } .bad { color: #b00020; } ol { max-width: 100ch; }
.timeline { display: flex; border: 1px solid #ddd; background: #fafafa; } .timeline svg { flex: none; } .scroll { overflow-x: auto; }
.legend span { margin-right: 1.2em; white-space: nowrap; } .legend i { display: inline-block; width: 1em; height: 0.7em; margin-right: 0.4em; }`;

/** The whole report: one file that needs no other. */
export function page(options: RunOptions, lines: readonly Line[], verdict: Verdict): string {
  const { violations, overlaps } = verdict;
  const start = lines[0]?.at ?? 0;
  const seconds = (at: number): string => ((at - start) / 1000).toFixed(2);
  const listed = violations.map(
    ({ rule, what, at }, index) =>
      `<li><a href="#${markOf(index)}"><b>${escaped(rule)}</b> at ${seconds(at)} s</a>: ${escaped(what)}</li>`,
  );
  const met = overlaps.map(({ thing, from, to, grants, known }) => {
    const holders = grants.map(({ id, token }) => `${id} with ${String(token)}`).join(' and ');
    return `<li>${escaped(thing)} at ${seconds(from)} s, for ${String(Math.round(to - from))} ms: ${escaped(holders)} (${escaped(known ?? 'not explained')})</li>`;
  });
  const versions = linesOf(lines, 'server').map(({ version }) => ` ${version}`);
  const title = `${options.backend}${versions.join()}, ${String(options.minutes)} min, seed ${String(options.seed)}`;
  const verdictLine =
    violations.length === 0
      ? '<p class="good">No violation.</p>'
      : `<p class="bad">Violations: ${String(violations.length)}</p><ol>${listed.join('')}</ol>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Chaos: ${title}</title><style>${style}</style></head><body>
<h1>${title}</h1>${verdictLine}
<h2>Overlapping beliefs: ${String(overlaps.length)}</h2>${met.length === 0 ? '' : `<ol>${met.join('')}</ol>`}
<h2>Figures</h2>${figures(lines, verdict)}
<h2>What happened</h2>${timeline(lines, verdict)}
</body></html>
`;
}
