import { describe, expect, it } from 'vitest';
import type { Listing } from '../src/connection.js';
import { DirectoryChanges, provenCreation } from '../src/directory-changes.js';

const path = '/ns/lock/a';

function listing(creates: number | null, deletes: number | null, lastChange = 77n): Listing {
  return { names: [], creates, deletes, lastChange };
}

describe('the creation of an entry', () => {
  it('is the last change of its directory when nothing was created or deleted after it', () => {
    expect(provenCreation(listing(8, 7), 7, 7)).toBe(77n);
  });

  it.each([
    ['another entry was created behind it', listing(9, 7), 7, 7],
    ['something was deleted that was not known before', listing(8, 7), 7, 6],
    ['nothing certain was known before', listing(8, 7), 7, null],
    ['the directory was made anew', listing(1, 0), 7, 7],
    ['the count has overflowed', listing(null, null), 7, 7],
  ])('is not proven when %s', (_why, listed, sequence, before) => {
    expect(provenCreation(listed, sequence, before)).toBeNull();
  });
});

describe('what is known of a directory', () => {
  it('counts what this session deleted itself', () => {
    const changes = new DirectoryChanges();
    expect(changes.deletes(path)).toBeNull();
    changes.listed(path, listing(1, 0));
    const deleted = changes.deleting(path);
    expect(changes.deletes(path)).toBeNull();
    deleted('deleted');
    expect(changes.deletes(path)).toBe(1);
    changes.deleting(path)('absent');
    expect(changes.deletes(path)).toBe(1);
  });

  it('is nothing after an answer that was lost, an overflow, or on another connection', () => {
    const changes = new DirectoryChanges();
    changes.listed(path, listing(1, 0));
    changes.deleting(path)('unknown');
    expect(changes.deletes(path)).toBeNull();
    changes.listed(path, listing(1, 0));
    changes.listed(path, listing(null, null));
    expect(changes.deletes(path)).toBeNull();
    changes.listed(path, listing(1, 0));
    changes.forget();
    expect(changes.deletes(path)).toBeNull();
  });

  it('does not grow without bounds', () => {
    const changes = new DirectoryChanges();
    for (let count = 0; count <= 1_000; count += 1) changes.listed(`${path}${count}`, listing(1, 0));
    expect(changes.deletes(`${path}0`)).toBeNull();
    expect(changes.deletes(`${path}1000`)).toBe(0);
  });
});
