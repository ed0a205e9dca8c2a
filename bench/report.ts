/** One measured figure, and the bar it is held to. */
export interface Row {
  readonly what: string;
  readonly value: string;
  /** What it has to be, in words; absent for a figure that is only shown. */
  readonly bar?: string;
  readonly met?: boolean;
}

/** Rows as a table that reads well in a terminal and renders as Markdown. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ what, value, bar, met }) => [
    what,
    value,
    bar ?? '',
    met === undefined ? '' : met ? 'yes' : 'NO',
  ]);
  const lines = [['measured', 'value', 'bar', 'met'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = [], ...body] = lines;
  return [format(head), rule, ...body.map(format)].join('\n');
}

export function milliseconds(value: number): string {
  return `${value.toFixed(2)} ms`;
}
