import { expect, it } from 'vitest';
import { judge } from '../../checkers/verdict.js';
import { page } from '../../report/page.js';
import { Story } from '../checkers/story.js';

const limits = { backend: 'etcd', sessionTimeoutMs: 6_000, tickMs: 500 } as const;
const options = { ...limits, minutes: 1, seed: 7, clients: 2, out: null };

function reportOf({ lines }: Story): string {
  return page(options, lines, judge(lines, limits));
}

it('shows what each client held in one lane, however often its process was started anew', () => {
  const story = new Story()
    .process('client-1.1', 'started', 0)
    .hold('client-1.1', '5', [0, 10, 1_000])
    .process('client-1.1', 'killed', 1_500)
    .process('client-1.2', 'started', 2_000)
    .hold('client-1.2', '6', [2_000, 2_010, 12_000])
    .fault('freeze the leader', 100, 900);
  const report = reportOf(story);
  expect(report.match(/>client-1</g)).toHaveLength(1);
  expect(report).toContain('<title>client-1.1: lock n, token 5, killed</title>');
  expect(report).toContain('<title>client-1.2: lock n, token 6, killed</title>');
  expect(report).toContain('<title>client-1.1: killed</title>');
  expect(report).toContain('<title>freeze the leader: m</title>');
  expect(report).toContain('>0:10</text>');
});

it('leads from each violation to its place in the picture', () => {
  const report = reportOf(new Story().wrote('a', '5', 10).wrote('b', '4', 20));
  const marked = [...report.matchAll(/href="#(violation-\d+)"/g)].map(([, id]) => id);
  expect(marked.length).toBeGreaterThan(0);
  for (const id of marked) expect(report).toContain(`id="${String(id)}"`);
});

it('has nothing in it that a value could make markup of', () => {
  const report = reportOf(new Story().set('<script>', 0, 10, '5').get('2', 20, 30, '4', '<script>'));
  expect(report).not.toContain('<script>');
  expect(report).toContain('&#60;script&#62;');
});
