import type { Key, Kind } from '@concordat/core/spi';

// As Go's `concurrency` lays them out: readers and writers apart, everything else right in the directory.
const folders: Readonly<Record<Kind, '' | 'read/' | 'write/'>> = {
  lock: '',
  latch: '',
  lease: '',
  read: 'read/',
  write: 'write/',
};

// What stands right in a directory says nothing of its kind; the directory does.
const kindByRoot: Readonly<Record<string, Kind>> = { lock: 'lock', election: 'latch', sem: 'lease' };

/** The name of an entry below its directory: the lease in lower-case hex, as Go's, and a number never used twice. */
export function entryName(kind: Kind, attempt: string): string {
  return folders[kind] + attempt;
}

/** The directory whose entries count when only those of one kind, or all, matter. */
export function scopeOf(dir: Key, kind: Kind | undefined): Key {
  const folder = kind === undefined ? '' : folders[kind];
  return folder === '' ? dir : `${dir}/${folder.slice(0, -1)}`;
}

/** Whether this name is a direct child: one segment, or an entry in a kind's own folder. */
export function isChild(dir: Key, name: string): boolean {
  if (!name.includes('/')) return name !== '';
  return rootOf(dir) !== 'config' && /^(read|write)\/[0-9a-f]+(-\d+)?$/.test(name);
}

/** The kind of an entry, or `null` for what is none: entries are named after the lease they live with. */
export function kindOf(dir: Key, name: string, owner: string | null): Kind | null {
  if (owner === null) return null;
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (last !== owner && !last.startsWith(`${owner}-`)) return null;
  return folderKind(name) ?? kindByRoot[rootOf(dir)] ?? 'lock';
}

function rootOf(dir: Key): string {
  return dir.split('/', 1)[0] ?? '';
}

function folderKind(name: string): 'read' | 'write' | null {
  if (name.startsWith('read/')) return 'read';
  return name.startsWith('write/') ? 'write' : null;
}

/** A lease as Go and `etcdctl` write it, and as sessions are called. */
export function hexLease(id: string): string {
  return BigInt(id).toString(16);
}
