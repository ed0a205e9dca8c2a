import { expect, it } from 'vitest';
import { checkMembers } from '../../checkers/members.js';
import type { CallLine, ReturnLine } from '../../records.js';
import { Story } from './story.js';

/** Two live, one was killed; each did what is said, in this order, before all came to rest and `stored` was found. */
function violationsOf(
  done: readonly (readonly [by: string, action: 'join' | 'leave', outcome: ReturnLine['outcome'] | null])[],
  stored: string,
): readonly string[] {
  const story = new Story().process('a', 'started', 0).process('b', 'started', 0).process('dead', 'started', 0);
  for (const [index, [by, action, outcome]] of done.entries()) {
    const base = { by, op: String(index), at: 10 + index };
    story.lines.push({ ...base, kind: 'call', action, name: 'group', limitMs: 1_000 } satisfies CallLine);
    if (outcome !== null) story.lines.push({ ...base, kind: 'return', outcome } satisfies ReturnLine);
  }
  story.process('dead', 'killed', 50).phase('settled', 100);
  story.lines.push({ kind: 'final', what: 'members', name: 'group', by: 'a', shown: stored, stored, at: 200 });
  return checkMembers(story.lines).map(({ what }) => what);
}

it('are who joined and did not leave', () => {
  const joined = [
    ['a', 'join', 'ok'],
    ['b', 'join', 'ok'],
    ['dead', 'join', 'ok'],
  ] as const;
  expect(violationsOf(joined, 'a b')).toEqual([]);
  expect(violationsOf(joined, 'b')).toEqual(['a: a is missing']);
  expect(violationsOf(joined, 'a b dead')).toEqual(['a: dead is there']);
  expect(violationsOf([...joined, ['b', 'leave', 'ok']], 'a')).toEqual([]);
  expect(violationsOf([...joined, ['b', 'leave', 'ok']], 'a b')).toEqual(['a: b is there']);
});

it('may be who was not answered, and are not who was refused', () => {
  for (const stored of ['', 'a']) {
    expect(violationsOf([['a', 'join', 'unknown']], stored)).toEqual([]);
    expect(violationsOf([['a', 'join', null]], stored)).toEqual([]);
  }
  expect(violationsOf([['a', 'join', 'refused']], 'a')).toEqual(['a: a is there']);
});
