import { readFileSync } from 'node:fs';
import { createNoopMeter, type Meter, type MetricOptions } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { createInstruments } from '../src/instruments.js';
import { scope } from '../src/scope.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

interface Instrument {
  readonly name: string;
  readonly kind: string;
  readonly unit: string;
}

/** Every instrument that is created, without an SDK. */
function instruments(): readonly Instrument[] {
  const created: Instrument[] = [];
  const noop = createNoopMeter();
  const meter = new Proxy(noop, {
    get: (target, member: keyof Meter) => (name: string, options?: MetricOptions) => {
      created.push({ name, kind: member.replace(/^create(?:Observable)?/, ''), unit: options?.unit ?? '' });
      return (target[member] as (name: string) => unknown).call(target, name);
    },
  });
  createInstruments(meter);
  return created;
}

/** Its names in Prometheus. */
function namesOf({ name, kind, unit }: Instrument): readonly string[] {
  const base = name.replaceAll('.', '_') + (unit === 's' ? '_seconds' : '');
  if (kind === 'Histogram') return ['bucket', 'count', 'sum'].map((suffix) => `${base}_${suffix}`);
  return [kind === 'Counter' ? `${base}_total` : base];
}

it('TEL-13 alerts on metrics that exist', () => {
  const known = new Set(instruments().flatMap(namesOf));
  const rules = read('../../../docs/alerts.yml')
    .replace(/\{\{.*?\}\}/g, '')
    .replace(/\b(?:by|on) \([^)]*\)/g, '')
    .replace(/\{coordination[^}]*\}/g, '');
  const used = [...new Set(rules.match(/coordination_\w+/g))];
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

it('TEL-13 lists every alert and every metric, with its unit', () => {
  const page = read('../../../docs/observability.md');
  const alerts = [...read('../../../docs/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name ?? '');
  expect(alerts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const rows = [...page.matchAll(/^\| `(coordination\.[\w.]+)` \| [\w-]+, (\S+) \|/gm)].map(
    ([, name, unit]) => `${name} ${unit}`,
  );
  expect(rows.sort()).toEqual(
    instruments()
      .map(({ name, unit }) => `${name} ${unit}`)
      .sort(),
  );
});

it('has the version of its package', () => {
  const { version } = JSON.parse(read('../package.json')) as { version: string };
  expect(scope.version).toBe(version);
});
