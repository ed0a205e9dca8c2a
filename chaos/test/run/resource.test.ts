import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal, readJournals } from '../../journal.js';
import { GuardedResource } from '../../run/guarded-resource.js';
import { readOptions } from '../../run/options.js';

describe('what a run writes down', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'chaos-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('comes back in the order of time, whoever wrote it, without a line that was not finished', () => {
    const [one, other] = [new Journal(directory, 'one'), new Journal(directory, 'other')];
    one.write({ kind: 'phase', phase: 'faults' });
    other.write({ kind: 'phase', phase: 'healed' });
    one.write({ kind: 'phase', phase: 'done' });
    for (const journal of [one, other]) journal.close();
    writeFileSync(join(directory, 'killed.jsonl'), '{"at":1,"by":"killed","ki');
    expect(readJournals(directory)).toMatchObject([
      { phase: 'faults' },
      { by: 'other', phase: 'healed' },
      { phase: 'done' },
    ]);
  });

  it('has every guarded write, also those that were refused', () => {
    const journal = new Journal(directory, 'run');
    const resource = new GuardedResource(journal);
    const write = (grant: string, token: string): boolean => resource.write({ resource: 'r', grant, token }, grant);
    expect([write('a', '9'), write('b', '10'), write('a', '9')]).toEqual([true, true, false]);
    expect(resource.lastWriter('r')).toBe('b');
    journal.close();
    expect(readJournals(directory)).toMatchObject([
      { isAccepted: true },
      { by: 'b', isAccepted: true },
      { by: 'a', isAccepted: false },
    ]);
  });
});

describe('what a run is told', () => {
  it('has defaults', () => {
    expect(readOptions(['--backend', 'etcd'])).toMatchObject({
      minutes: 5,
      seed: 7,
      clients: 5,
      sessionTimeoutMs: 6_000,
      out: null,
    });
    expect(readOptions(['--backend', 'zookeeper', '--minutes', '0.5', '--session-timeout', '4s'])).toMatchObject({
      minutes: 0.5,
      sessionTimeoutMs: 4_000,
    });
  });

  it('is refused with the usage where it is wrong', () => {
    expect(() => readOptions([])).toThrow('npm run chaos');
    expect(() => readOptions(['--backend', 'memory'])).toThrow('npm run chaos');
    expect(() => readOptions(['--backend', 'etcd', '--minutes', '-1'])).toThrow('--minutes');
  });
});
