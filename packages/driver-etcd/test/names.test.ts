import { expect, it } from 'vitest';
import { Keys } from '../src/keys.js';
import { entryName, hexLease, isChild, kindOf, scopeOf } from '../src/names.js';

it('names entries as Go does, readers and writers in folders of their own', () => {
  expect(hexLease('7587895738262683786')).toBe('694d9ef8b7d9008a');
  expect(entryName('lock', 'ab-1')).toBe('ab-1');
  expect(entryName('read', 'ab-1')).toBe('read/ab-1');
  expect(entryName('lease:3', 'ab-1')).toBe('3/ab-1');
  expect(entryName('member:w-17', 'ab-1')).toBe('w-17/ab-1');
  expect(scopeOf('group/a', 'member:w-17')).toBe('group/a/w-17');
  expect([scopeOf('rw/a', undefined), scopeOf('rw/a', 'write'), scopeOf('lock/a', 'lock')]).toEqual([
    'rw/a',
    'rw/a/write',
    'lock/a',
  ]);
});

it.each([
  ['lock/a', 'ab-1', true],
  ['rw/a', 'read/ab-1', true],
  ['rw/a', 'write/ab', true],
  ['rw/a', 'read/me', false],
  ['rw/a', 'deep/er', false],
  ['rw/a', 'read/a/b', false],
  ['sem/a', '3/ab-1', true],
  ['sem/a', 'read/ab-1', false],
  ['group/a', 'w-17/ab-1', true],
  ['group/a', 'w-17/x/ab-1', false],
  ['config', 'read/1', false],
  ['config', '', false],
])('takes, in %s, %s for a direct child: %s', (dir, name, expected) => {
  expect(isChild(dir, name)).toBe(expected);
});

it.each([
  ['lock/a', 'ab-1', 'ab', 'lock'],
  ['lock/a', 'ab', 'ab', 'lock'],
  ['election/a', 'ab-1', 'ab', 'latch'],
  ['sem/a', '3/ab-1', 'ab', 'lease:3'],
  ['group/a', 'read/ab-1', 'ab', 'member:read'],
  ['rw/a', 'write/ab-1', 'ab', 'write'],
  ['lock/a', 'abc', 'ab', null],
  ['config/a', 'ab', null, null],
])('knows the kind of %s/%s of %s: %s', (dir, name, owner, kind) => {
  expect(kindOf(dir, name, owner)).toBe(kind);
});

it('ranges over a directory and nothing else, with or without a namespace', () => {
  expect(new Keys('n/s').at('a/b').toString()).toBe('n/s/a/b');
  const { range, nameOf } = new Keys('n').below('a');
  expect([range.key.toString(), range.range_end.toString()]).toEqual(['n/a/', 'n/a0']);
  expect(nameOf(Buffer.from('n/a/b'))).toBe('b');
  expect(new Keys('').below('').range).toEqual({ key: Buffer.from([0]), range_end: Buffer.from([0]) });
});
