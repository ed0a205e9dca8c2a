import type { Key, Kind } from '@concordat/core/spi';

// What stands right in a directory says nothing of its kind; the directory does.
const kindByRoot: Readonly<Record<string, Kind>> = { lock: 'lock', election: 'latch' };

/** The name of an entry below its directory: the lease in lower-case hex, as Go's, and a number. */
export function entryName(kind: Kind, id: string): string {
  return folderOf(kind) + id;
}

/** The directory whose entries count when only those of one kind, or all, matter. */
export function scopeOf(dir: Key, kind: Kind | undefined): Key {
  const folder = kind === undefined ? '' : folderOf(kind);
  return folder === '' ? dir : `${dir}/${folder.slice(0, -1)}`;
}

/** Whether this name is a direct child: one segment, or an entry in a kind's own folder. */
export function isChild(dir: Key, name: string): boolean {
  if (!name.includes('/')) return name !== '';
  return folderKind(rootOf(dir), name) !== null && /^[^/]+\/[0-9a-f]+(-\d+)?$/.test(name);
}

/** The kind of an entry, or `null` for what is none: entries are named after the lease they live with. */
export function kindOf(dir: Key, name: string, owner: string | null): Kind | null {
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (owner === null || (last !== owner && !last.startsWith(`${owner}-`))) return null;
  return kindIn(dir, name);
}

/** The kind of an entry that stands in this directory. */
export function kindIn(dir: Key, name: string): Kind {
  const root = rootOf(dir);
  return folderKind(root, name) ?? kindByRoot[root] ?? 'lock';
}

// As Go's `concurrency` lays them out: readers and writers apart, locks and candidates right in the directory; the folder of a
// permit says how many there are, and that of a member who it is.
function folderOf(kind: Kind): string {
  if (kind === 'lock' || kind === 'latch') return '';
  return `${kind.slice(kind.indexOf(':') + 1)}/`;
}

function folderKind(root: string, name: string): Kind | null {
  const end = name.indexOf('/');
  if (end <= 0) return null;
  const folder = name.slice(0, end);
  if (root === 'group') return `member:${folder}`;
  if (root === 'sem') return /^\d+$/.test(folder) ? `lease:${Number(folder)}` : null;
  if (root === 'config') return null;
  return folder === 'read' || folder === 'write' ? folder : null;
}

function rootOf(dir: Key): string {
  return dir.split('/', 1)[0] ?? '';
}

/** A lease as Go and `etcdctl` write it, and as sessions are called. */
export function hexLease(id: string): string {
  return BigInt(id).toString(16);
}
